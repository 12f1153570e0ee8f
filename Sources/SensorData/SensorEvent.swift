import Geometry

/// One sensor event. The input of the estimator is a time-ordered stream of these.
public enum SensorEvent: Equatable, Sendable {
  /// An IMU reading.
  case imu(IMUSample)
  /// A pose of an external tracker.
  case odometry(OdometryPose)
  /// A camera frame.
  case frame(CameraFrame)
  /// A device or peer event.
  case device(DeviceEvent)
  /// A range to a peer.
  case range(RangeMeasurement)

  /// When it was measured.
  public var timestamp: Timestamp {
    switch self {
    case .imu(let sample): sample.timestamp
    case .odometry(let pose): pose.timestamp
    case .frame(let frame): frame.timestamp
    case .device(let event): event.timestamp
    case .range(let range): range.timestamp
    }
  }

  /// Whether all its numbers are finite. Features of a frame are not checked here: those outside the lens's domain are
  /// dropped one by one.
  public var isFinite: Bool {
    switch self {
    case .imu(let sample): sample.angularVelocity.isFinite && sample.specificForce.isFinite
    case .odometry(let pose):
      pose.worldFromSensor.translation.isFinite && pose.worldFromSensor.rotation.v.isFinite
        && pose.worldFromSensor.rotation.w.isFinite
    case .range(let range):
      [range.range, range.standardDeviation, range.azimuth, range.elevation, range.angleStandardDeviation]
        .allSatisfy { $0?.isFinite ?? true }
    case .frame, .device: true
    }
  }

  /// Order among events of equal timestamp: motion first, so that images and ranges are processed with the newest
  /// state.
  public var rank: Int {
    switch self {
    case .imu: 0
    case .odometry: 1
    case .frame: 2
    case .device: 3
    case .range: 4
    }
  }
}
