import Geometry
import SensorData

/// A pose of the body from the whole recording, at the time of a row of the forward run's trajectory.
package struct SmoothedPose: Sendable {
  /// When.
  package var timestamp: Timestamp
  /// Pose of the body in the estimate's world.
  package var worldFromBody: Pose
  /// How well it is known.
  package var covariance: PoseCovariance
}
