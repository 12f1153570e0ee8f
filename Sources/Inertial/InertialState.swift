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

/// Transition of the inertial error state (theta, p, v, b_g, b_a) over a time interval, stored as its blocks that are
/// neither zero nor identity:
///
///         | I   0   0     A   0 |
///         | B   I   I dt  C   D |
///         | E   0   I     F   G |
///         | 0   0   0     I   0 |
///         | 0   0   0     0   I |
///
/// Products keep this structure. Law: `(b * a)` as a matrix is the matrix product of `b` and `a`.
package struct InertialTransition: Sendable {
  /// Length of the interval, seconds.
  package var dt: Double
  /// A.
  package var rotationByGyroscopeBias: Matrix3
  /// E.
  package var velocityByRotation: Matrix3
  /// F.
  package var velocityByGyroscopeBias: Matrix3
  /// G.
  package var velocityByAccelerometerBias: Matrix3
  /// B.
  package var positionByRotation: Matrix3
  /// C.
  package var positionByGyroscopeBias: Matrix3
  /// D.
  package var positionByAccelerometerBias: Matrix3

  /// Zero duration.
  package static var identity: InertialTransition {
    InertialTransition(
      dt: 0, rotationByGyroscopeBias: .zero, velocityByRotation: .zero, velocityByGyroscopeBias: .zero,
      velocityByAccelerometerBias: .zero, positionByRotation: .zero, positionByGyroscopeBias: .zero,
      positionByAccelerometerBias: .zero)
  }

  /// First `a`, then `b`.
  package static func * (b: InertialTransition, a: InertialTransition) -> InertialTransition {
    InertialTransition(
      dt: a.dt + b.dt,
      rotationByGyroscopeBias: a.rotationByGyroscopeBias + b.rotationByGyroscopeBias,
      velocityByRotation: b.velocityByRotation + a.velocityByRotation,
      velocityByGyroscopeBias: b.velocityByRotation * a.rotationByGyroscopeBias + a.velocityByGyroscopeBias
        + b.velocityByGyroscopeBias,
      velocityByAccelerometerBias: a.velocityByAccelerometerBias + b.velocityByAccelerometerBias,
      positionByRotation: b.positionByRotation + a.positionByRotation + b.dt * a.velocityByRotation,
      positionByGyroscopeBias: b.positionByRotation * a.rotationByGyroscopeBias + a.positionByGyroscopeBias
        + b.dt * a.velocityByGyroscopeBias + b.positionByGyroscopeBias,
      positionByAccelerometerBias: a.positionByAccelerometerBias + b.dt * a.velocityByAccelerometerBias
        + b.positionByAccelerometerBias)
  }

  /// The 15 x 15 matrix, row-major.
  package var matrix: [Double] {
    var m = BlockMatrix15()
    for i in 0..<5 { m[i, i] = .identity }
    m[0, 3] = rotationByGyroscopeBias
    m[1, 0] = positionByRotation
    m[1, 2] = Matrix3(diagonal: Vector3(repeating: dt))
    m[1, 3] = positionByGyroscopeBias
    m[1, 4] = positionByAccelerometerBias
    m[2, 0] = velocityByRotation
    m[2, 3] = velocityByGyroscopeBias
    m[2, 4] = velocityByAccelerometerBias
    return m.rowMajor
  }

  /// `Phi N Phi^T`.
  package func carried(_ noise: BlockMatrix15) -> BlockMatrix15 {
    var left = noise
    for j in 0..<5 {
      let (theta, velocity, gyroscope, accelerometer) = (noise[0, j], noise[2, j], noise[3, j], noise[4, j])
      left[0, j] = theta + rotationByGyroscopeBias * gyroscope
      left[1, j] =
        noise[1, j] + positionByRotation * theta + dt * velocity + positionByGyroscopeBias * gyroscope
        + positionByAccelerometerBias * accelerometer
      left[2, j] =
        velocity + velocityByRotation * theta + velocityByGyroscopeBias * gyroscope
        + velocityByAccelerometerBias * accelerometer
    }
    let (a, b, c, d) = (
      rotationByGyroscopeBias.transpose, positionByRotation.transpose, positionByGyroscopeBias.transpose,
      positionByAccelerometerBias.transpose
    )
    let (e, f, g) = (
      velocityByRotation.transpose, velocityByGyroscopeBias.transpose, velocityByAccelerometerBias.transpose
    )
    var result = left
    for i in 0..<5 {
      let (theta, velocity, gyroscope, accelerometer) = (left[i, 0], left[i, 2], left[i, 3], left[i, 4])
      result[i, 0] = theta + gyroscope * a
      result[i, 1] = left[i, 1] + theta * b + dt * velocity + gyroscope * c + accelerometer * d
      result[i, 2] = velocity + theta * e + gyroscope * f + accelerometer * g
    }
    return result
  }
}

/// A 15 x 15 matrix of 3 x 3 blocks in the order (theta, p, v, b_g, b_a).
package struct BlockMatrix15: Sendable {
  private var blocks = [Matrix3](repeating: .zero, count: 25)

  /// Zero.
  package init() {}

  /// The block in block row `i` and block column `j`, both 0..<5.
  package subscript(i: Int, j: Int) -> Matrix3 {
    get { blocks[5 * i + j] }
    set { blocks[5 * i + j] = newValue }
  }

  /// All 225 numbers.
  package var rowMajor: [Double] {
    var result = [Double](repeating: 0, count: 225)
    for i in 0..<15 {
      for j in 0..<15 { result[15 * i + j] = blocks[5 * (i / 3) + j / 3][i % 3, j % 3] }
    }
    return result
  }
}
