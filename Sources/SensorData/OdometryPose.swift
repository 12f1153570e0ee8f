import Geometry

/// A pose from another tracker (ARKit, ARCore, motion capture), in that tracker's gravity-aligned, z-up world.
public struct OdometryPose: Equatable, Sendable {
  /// When the device was there.
  public var timestamp: Timestamp
  /// The pose of the tracker's sensor frame S in its world.
  public var worldFromSensor: Pose

  /// A pose from its parts.
  public init(timestamp: Timestamp, worldFromSensor: Pose) {
    self.timestamp = timestamp
    self.worldFromSensor = worldFromSensor
  }
}
