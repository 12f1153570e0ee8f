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

  /// Velocity, m/s, and acceleration, m/s^2, of the camera at cloning, its own axes: where it was when other rows of a
  /// rolling shutter were exposed.
  package internal(set) var velocity = Vector3.zero, acceleration = Vector3.zero

  /// Covariance of its position at cloning, 3 x 3, m^2.
  package internal(set) var positionCovarianceAtCloning: Matrix3

  /// Size of its error state.
  static let errorSize = 6

  /// The pose of a camera `beside` this one at the exposure of a row, whose direction has been turned to the clone's
  /// time (`RollingShutter`): only the position is another. Velocity and acceleration are taken as known: over a readout
  /// of 30 ms an error of 0.1 m/s is 3 mm.
  package func worldFromCamera(_ keptFromCamera: Pose, rowDelay: Double) -> Pose {
    guard rowDelay != 0 else { return worldFromCamera * keptFromCamera }
    let displacement = velocity * rowDelay + acceleration * (0.5 * rowDelay * rowDelay)
    return worldFromCamera * Pose(translation: displacement) * keptFromCamera
  }

  mutating func apply(_ correction: ArraySlice<Double>) {
    let d = correction.startIndex
    let theta = Vector3(correction[d], correction[d + 1], correction[d + 2])
    worldFromCamera.rotation = Rotation.exp(theta) * worldFromCamera.rotation
    worldFromCamera.translation += Vector3(correction[d + 3], correction[d + 4], correction[d + 5])
  }
}
