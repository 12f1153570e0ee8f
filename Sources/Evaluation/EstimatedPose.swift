import Geometry
import SensorData

/// A pose of an estimated trajectory, whoever made it.
package struct EstimatedPose: Equatable, Sendable {
  /// When.
  package var timestamp: Timestamp
  /// The body in the estimate's world.
  package var worldFromBody: Pose
  /// How well that is known; nil where it is not told.
  package var covariance: PoseCovariance?

  /// A pose from its parts.
  package init(timestamp: Timestamp, worldFromBody: Pose, covariance: PoseCovariance? = nil) {
    self.timestamp = timestamp
    self.worldFromBody = worldFromBody
    self.covariance = covariance
  }
}
