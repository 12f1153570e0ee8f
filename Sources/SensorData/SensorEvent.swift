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
