import Geometry
import Inertial
import SensorData

/// A moment of the recording whose state is estimated, at a camera frame.
package struct Keyframe: Sendable {
  /// When, IMU's clock, by the calibrated offset.
  package var timestamp: Timestamp
  /// The estimate.
  package var state: InertialState
  /// The filter judged the device to stand still.
  package var isStill: Bool
  /// Angular velocity at that moment, bias removed, IMU axes, rad/s; with `velocity` a constant while the pose is being
  /// estimated: it only shifts the camera by its delay of a few milliseconds.
  package var angularVelocity: Vector3
  /// Velocity at that moment, world, m/s; see `angularVelocity`.
  package var velocity: Vector3

  /// A keyframe from its parts; the motion is that of the state and the given rate (IMU axes, rad/s, bias included).
  package init(timestamp: Timestamp, state: InertialState, isStill: Bool = false, measuredRate: Vector3) {
    self.timestamp = timestamp
    self.state = state
    self.isStill = isStill
    angularVelocity = measuredRate - state.gyroscopeBias
    velocity = state.velocity
  }

  /// Pose of the IMU a moment later, seconds.
  package func worldFromIMU(after delay: Double) -> Pose {
    guard delay != 0 else { return state.worldFromIMU }
    return Pose(
      rotation: state.rotation * Rotation.exp(delay * angularVelocity), translation: state.position + delay * velocity)
  }
}
