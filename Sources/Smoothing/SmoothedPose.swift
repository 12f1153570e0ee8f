import Geometry
import SensorData

/// A smoothed pose of the body, at the time of a row of the forward run's trajectory.
package struct SmoothedPose: Sendable {
  /// Its time.
  package var timestamp: Timestamp
  /// Pose of the body in the estimate's world.
  package var worldFromBody: Pose
  /// Its covariance.
  package var covariance: PoseCovariance
}
