import Geometry

/// One thing that a sensor said. The whole input of the estimator is a time-ordered stream of these.
public enum SensorEvent: Equatable, Sendable {
  /// An inertial reading.
  case imu(IMUSample)
  /// A pose from another tracker.
  case odometry(OdometryPose)
  /// A camera frame.
  case frame(CameraFrame)
  /// Something that happened.
  case device(DeviceEvent)
  /// A distance to a peer.
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

  /// Whether all that it measured is a number. Features of a frame are not asked: one by one they are left out where a lens
  /// cannot have seen them.
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

  /// The order among events of one timestamp: motion first, so that what is seen or ranged meets the newest state.
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
