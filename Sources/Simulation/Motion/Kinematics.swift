import Geometry

/// Pose of a rigid body at one time and its first two derivatives.
package struct Kinematics: Sendable {
  /// The pose, metres.
  package var worldFromBody: Pose
  /// Velocity of the body's origin in the world, m/s.
  package var velocity: Vector3
  /// Acceleration of the body's origin in the world, m/s^2.
  package var acceleration: Vector3
  /// Angular velocity in body axes, rad/s.
  package var angularVelocity: Vector3
  /// Angular acceleration in body axes, rad/s^2.
  package var angularAcceleration: Vector3

  /// The same motion, expressed for a frame S fixed to the body at `bodyFromSensor`.
  ///
  /// `v_S = v + R (w x l)`, `a_S = a + R (dw x l + w x (w x l))` with lever arm l: the centripetal and the Euler term
  /// of rigid-body kinematics.
  package func moved(to bodyFromSensor: Pose) -> Kinematics {
    let lever = bodyFromSensor.translation
    let rotation = worldFromBody.rotation
    let swing = angularVelocity.cross(lever)
    let sensorFromBody = bodyFromSensor.rotation.inverse
    return Kinematics(
      worldFromBody: worldFromBody * bodyFromSensor, velocity: velocity + rotation * swing,
      acceleration: acceleration + rotation * (angularAcceleration.cross(lever) + angularVelocity.cross(swing)),
      angularVelocity: sensorFromBody * angularVelocity, angularAcceleration: sensorFromBody * angularAcceleration)
  }
}
