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

/// A sensor event and its arrival time; recordings may contain late data.
public struct TimedEvent: Equatable, Sendable {
  /// What was measured.
  public var event: SensorEvent
  /// Arrival time; equals the event's timestamp unless the recording specifies another.
  public var arrival: Timestamp

  /// An event from its parts; without `arrival` it arrived at its timestamp.
  public init(_ event: SensorEvent, arrival: Timestamp? = nil) {
    self.event = event
    self.arrival = arrival ?? event.timestamp
  }
}

/// One IMU reading, in the IMU's axes S.
@frozen
public struct IMUSample: Equatable, Sendable {
  /// When it was measured.
  public var timestamp: Timestamp
  /// Angular rate, rad/s.
  public var angularVelocity: Vector3
  /// Specific force, m/s^2: +g upwards when stationary.
  public var specificForce: Vector3

  /// A reading from its parts.
  @inlinable public init(timestamp: Timestamp, angularVelocity: Vector3, specificForce: Vector3) {
    self.timestamp = timestamp
    self.angularVelocity = angularVelocity
    self.specificForce = specificForce
  }
}

/// A pose of an external tracker (ARKit, ARCore, motion capture), in its gravity-aligned, z-up world.
public struct OdometryPose: Equatable, Sendable {
  /// Time of the pose.
  public var timestamp: Timestamp
  /// The pose of the tracker's sensor frame S in its world.
  public var worldFromSensor: Pose

  /// A pose from its parts.
  public init(timestamp: Timestamp, worldFromSensor: Pose) {
    self.timestamp = timestamp
    self.worldFromSensor = worldFromSensor
  }
}

/// An event of the device or of a peer, as reported by the recording: an open list of names.
public struct DeviceEvent: Equatable, Sendable {
  /// When it happened.
  public var timestamp: Timestamp
  /// Its name: `suspend`, `resume`, `peerEnded`, `stationary`, `moving`, ...
  public var name: String
  /// The peer concerned; nil for the device itself.
  public var peer: String?

  /// An event from its parts.
  public init(timestamp: Timestamp, name: String, peer: String? = nil) {
    self.timestamp = timestamp
    self.name = name
    self.peer = peer
  }
}
