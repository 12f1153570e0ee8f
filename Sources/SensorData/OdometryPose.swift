import Geometry

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
