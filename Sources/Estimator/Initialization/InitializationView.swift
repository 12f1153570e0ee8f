import CameraGeometry
import Geometry
import Inertial

/// Pose and motion of the camera and the IMU when a frame was taken, after the camera's delay.
package struct InitializationView {
  /// Pose of the IMU when the frame was taken.
  package let worldFromIMU: Pose
  /// Pose of the camera.
  package let worldFromCamera: Pose
  /// Angular velocity, world axes, rad/s.
  package let rate: Vector3
  /// Velocity of the IMU, world axes, m/s.
  package let velocity: Vector3

  /// - Parameter angularVelocity: of the IMU at the frame's stamp, its own axes, rad/s. It and the state's velocity are
  ///   constant over the delay.
  package init(_ state: InertialState, angularVelocity: Vector3, mount: CameraMount) {
    let rotation = state.rotation * Rotation.exp(angularVelocity * mount.delay)
    worldFromIMU = Pose(rotation: rotation, translation: state.position + state.velocity * mount.delay)
    worldFromCamera = worldFromIMU * mount.imuFromCamera
    rate = state.rotation * angularVelocity
    velocity = state.velocity
  }
}
