import Geometry
import Inertial
import SensorData

/// A camera frame whose state is estimated.
package struct Keyframe: Sendable {
  /// Time on the IMU's clock, by the calibrated offset.
  package var timestamp: Timestamp
  /// The estimate.
  package var state: InertialState
  /// The filter detected the device as stationary.
  package var isStill: Bool
  /// Angular velocity at that time, bias removed, IMU axes, rad/s. Like `velocity` it is constant during the
  /// optimisation: it only moves the camera by its delay of a few milliseconds.
  package var angularVelocity: Vector3
  /// Velocity at that time, world, m/s; see `angularVelocity`.
  package var velocity: Vector3

  /// A keyframe from its parts; `measuredRate` is the angular rate, IMU axes, rad/s, bias included.
  package init(timestamp: Timestamp, state: InertialState, isStill: Bool = false, measuredRate: Vector3) {
    self.timestamp = timestamp
    self.state = state
    self.isStill = isStill
    angularVelocity = measuredRate - state.gyroscopeBias
    velocity = state.velocity
  }

  /// Pose of the IMU `delay` seconds later.
  package func worldFromIMU(after delay: Double) -> Pose {
    guard delay != 0 else { return state.worldFromIMU }
    return Pose(
      rotation: state.rotation * Rotation.exp(delay * angularVelocity), translation: state.position + delay * velocity)
  }
}
