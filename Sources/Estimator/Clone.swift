import Geometry
import SensorData

/// A clone: the camera pose at the time of a frame, kept in the filter's state (stochastic cloning).
///
/// It is the camera's pose and not the IMU's: the mount then only matters at cloning, and may itself be a state
/// (`CameraPoseFromIMU`).
package struct Clone: Equatable, Sendable {
  /// Counts up from the first clone; the `poseID` of feature tracks.
  package let id: Int
  /// When the frame was taken, IMU's clock.
  package let timestamp: Timestamp
  /// Its error (theta, p) in the covariance.
  package let block: ErrorCovariance.Block
  /// The present estimate.
  package internal(set) var worldFromCamera: Pose
  /// First estimate, at which Jacobians are taken: the estimate at cloning, or when the filter converged.
  package internal(set) var firstWorldFromCamera: Pose

  /// Covariance of its position at cloning, 3 x 3, m^2.
  package internal(set) var positionCovarianceAtCloning: Matrix3

  /// Size of its error state.
  static let errorSize = 6

  mutating func apply(_ correction: ArraySlice<Double>) {
    let d = correction.startIndex
    let theta = Vector3(correction[d], correction[d + 1], correction[d + 2])
    worldFromCamera.rotation = Rotation.exp(theta) * worldFromCamera.rotation
    worldFromCamera.translation += Vector3(correction[d + 3], correction[d + 4], correction[d + 5])
  }
}
