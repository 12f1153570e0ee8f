import Geometry

/// State of the inertial unit: rotation, position, velocity and biases.
package struct InertialState: Equatable, Sendable {
  /// Rotation of the IMU's axes into the world.
  package var rotation: Rotation
  /// Position of the IMU in the world, metres.
  package var position: Vector3
  /// Velocity of the IMU in the world, m/s.
  package var velocity: Vector3
  /// Bias of the gyroscope, rad/s.
  package var gyroscopeBias: Vector3
  /// Bias of the accelerometer, m/s^2.
  package var accelerometerBias: Vector3

  /// A state from its parts.
  package init(
    rotation: Rotation = .identity, position: Vector3 = .zero, velocity: Vector3 = .zero,
    gyroscopeBias: Vector3 = .zero, accelerometerBias: Vector3 = .zero
  ) {
    self.rotation = rotation
    self.position = position
    self.velocity = velocity
    self.gyroscopeBias = gyroscopeBias
    self.accelerometerBias = accelerometerBias
  }

  /// Size of the error state (theta, p, v, b_g, b_a).
  package static let errorSize = 15

  /// Rotation and position.
  package var worldFromIMU: Pose { Pose(rotation: rotation, translation: position) }

  /// True when nothing is NaN or infinite.
  package var isFinite: Bool {
    rotation.v.isFinite && rotation.w.isFinite && position.isFinite && velocity.isFinite && gyroscopeBias.isFinite
      && accelerometerBias.isFinite
  }

  /// `x [+] d`: rotation `Exp(theta) R` with theta in the world frame; all else additive. Law: `x.plus(d).minus(x) ==
  /// d`.
  package func plus(_ d: [Double]) -> InertialState {
    precondition(d.count == Self.errorSize, "fifteen numbers")
    func part(_ i: Int) -> Vector3 { Vector3(d[3 * i], d[3 * i + 1], d[3 * i + 2]) }
    return InertialState(
      rotation: Rotation.exp(part(0)) * rotation, position: position + part(1), velocity: velocity + part(2),
      gyroscopeBias: gyroscopeBias + part(3), accelerometerBias: accelerometerBias + part(4))
  }

  /// `x [-] y`: the error with `y.plus(error) == x`.
  package func minus(_ y: InertialState) -> [Double] {
    [
      (rotation * y.rotation.inverse).log, position - y.position, velocity - y.velocity,
      gyroscopeBias - y.gyroscopeBias, accelerometerBias - y.accelerometerBias,
    ].flatMap { [$0.x, $0.y, $0.z] }
  }
}
