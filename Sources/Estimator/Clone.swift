import Geometry
import SensorData

/// A pose of the camera at the time of a frame, kept in the filter's state.
///
/// The camera's and not the IMU's: how the one sits on the other then matters only when the pose is taken, and may be a
/// part of the state (`CameraPoseFromIMU`).
package struct Clone: Equatable, Sendable {
  /// Counts up from the first clone: names the pose in feature tracks.
  package let id: Int
  /// When the frame was taken, IMU's clock.
  package let timestamp: Timestamp
  /// Its error (theta, p) in the covariance.
  package let block: ErrorCovariance.Block
  /// The present estimate.
  package internal(set) var worldFromCamera: Pose
  /// The estimate when it was cloned, or when the filter settled: where Jacobians are taken.
  package internal(set) var firstWorldFromCamera: Pose

  /// Covariance of its position when it was taken, 3 x 3, m^2.
  package internal(set) var takenPositionCovariance: Matrix3

  /// Size of its error state.
  static let errorSize = 6

  mutating func apply(_ correction: ArraySlice<Double>) {
    let d = correction.startIndex
    let theta = Vector3(correction[d], correction[d + 1], correction[d + 2])
    worldFromCamera.rotation = Rotation.exp(theta) * worldFromCamera.rotation
    worldFromCamera.translation += Vector3(correction[d + 3], correction[d + 4], correction[d + 5])
  }
}
