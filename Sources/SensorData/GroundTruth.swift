import Geometry

/// One row of the true trajectory, for errors and for `--initialize groundtruth`.
public struct GroundTruthState: Equatable, Sendable {
  /// When.
  public var timestamp: Timestamp
  /// The body's true pose.
  public var worldFromBody: Pose
  /// The body's true velocity in the world, m/s, where the file has it.
  public var velocity: Vector3?
  /// True gyroscope bias, rad/s, where the file has it.
  public var gyroscopeBias: Vector3?
  /// True accelerometer bias, m/s^2, where the file has it.
  public var accelerometerBias: Vector3?

  /// A row from its parts.
  public init(
    timestamp: Timestamp, worldFromBody: Pose, velocity: Vector3? = nil, gyroscopeBias: Vector3? = nil,
    accelerometerBias: Vector3? = nil
  ) {
    self.timestamp = timestamp
    self.worldFromBody = worldFromBody
    self.velocity = velocity
    self.gyroscopeBias = gyroscopeBias
    self.accelerometerBias = accelerometerBias
  }
}

/// One row of a peer's true position.
public struct GroundTruthPeer: Equatable, Sendable {
  /// When.
  public var timestamp: Timestamp
  /// Id of the peer.
  public var peer: String
  /// Its true position in the ground truth's world, metres.
  public var position: Vector3

  /// A row from its parts.
  public init(timestamp: Timestamp, peer: String, position: Vector3) {
    self.timestamp = timestamp
    self.peer = peer
    self.position = position
  }
}
