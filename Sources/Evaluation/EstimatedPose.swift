import Geometry
import SensorData

/// A pose of an estimated trajectory, from any estimator.
package struct EstimatedPose: Equatable, Sendable {
  /// When.
  package var timestamp: Timestamp
  /// The body in the estimate's world.
  package var worldFromBody: Pose
  /// Its covariance; nil where the estimator reports none.
  package var covariance: PoseCovariance?

  /// A pose from its parts.
  package init(timestamp: Timestamp, worldFromBody: Pose, covariance: PoseCovariance? = nil) {
    self.timestamp = timestamp
    self.worldFromBody = worldFromBody
    self.covariance = covariance
  }
}
