import Estimator
import Geometry
import Inertial
import LeastSquares
import SensorData

/// Preintegrated IMU motion between two times, independent of the state at the first one.
///
/// In the axes of the IMU at the start, without gravity:
/// `D_R = R_i^T R_j`, `D_v = R_i^T (v_j - v_i - g T)`, `D_p = R_i^T (p_j - p_i - v_i T - g T^2 / 2)`.
/// They equal the state reached from zero velocity at the origin of a world without gravity. So the filter's
/// propagation computes them, their first-order dependence on the biases and their covariance. Errors: `Exp(theta)
/// D_R`, else additive; the biases' random walks are included.
/// Source: Forster, Carlone, Dellaert, Scaramuzza, "On-manifold preintegration for real-time visual-inertial odometry",
/// TRO 33(1), 2017, doi:10.1109/TRO.2016.2597321; closed forms as in `InertialPropagation`.
package struct PreintegratedIMU: Sendable {
  /// Length of the interval, seconds.
  package let duration: Double
  /// D_R, D_p, D_v at the biases of this state.
  package let delta: InertialState
  /// Derivatives of (theta, p, v) by the biases: the transition's columns for b_g and b_a.
  package let transition: InertialTransition
  /// The IMU's intrinsics at which it was integrated.
  package let intrinsics: IMUIntrinsics
  /// Derivatives of (theta, p, v) by each triple of the intrinsics.
  package let byIntrinsics: [(theta: Matrix3, position: Matrix3, velocity: Matrix3)]
  /// Covariance of (theta, p, v, b_g, b_a) accumulated over the interval, 15 x 15, row-major.
  package let covariance: [Double]

  /// Over start...end. The samples must reach both ends within 100 ms; nil where they do not, and for an empty
  /// interval.
  ///
  /// - Parameters:
  ///   - gyroscopeBias: bias at which to integrate, rad/s.
  ///   - accelerometerBias: the same, m/s^2.
  ///   - intrinsics: the IMU's intrinsics at which to integrate.
  package init?(
    _ samples: IMUBuffer, from start: Timestamp, to end: Timestamp, gyroscopeBias: Vector3, accelerometerBias: Vector3,
    intrinsics: IMUIntrinsics = IMUIntrinsics(), noise: InertialNoise
  ) {
    guard end > start, let last = samples.samples.last, let oldest = samples.samples.first,
      end.seconds(since: last.timestamp) <= InertialNoise.dropoutSpacing,
      oldest.timestamp.seconds(since: start) <= InertialNoise.dropoutSpacing
    else { return nil }
    let weightless = InertialPropagation(gravityMagnitude: 0)
    var state = InertialState(gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias)
    var transition = InertialTransition.identity
    var processNoise = BlockMatrix15()
    var byIntrinsics = IntrinsicsTransition()
    var here = start
    for there in samples.stops(from: start, to: end) {
      guard let a = samples.sample(at: here), let b = samples.sample(at: there) else { return nil }
      let meanAngularVelocity = 0.5 * (a.angularVelocity + b.angularVelocity)
      let meanSpecificForce = 0.5 * (a.specificForce + b.specificForce)
      let (rate, force) = intrinsics.corrected(angularVelocity: meanAngularVelocity, specificForce: meanSpecificForce)
      let dt = there.seconds(since: here)
      let next = weightless.propagated(state, angularVelocity: rate, specificForce: force, dt: dt)
      let step = weightless.transition(
        from: state, first: (state.position, state.velocity), to: next, angularVelocity: rate, specificForce: force,
        dt: dt)
      let spacing = samples.spacing(from: here, to: there)
      let added = noise.processNoise(over: step, quality: InertialNoise.quality(ofSpacing: spacing), spacing: spacing)
      byIntrinsics.extend(over: step, rate: meanAngularVelocity, force: meanSpecificForce)
      transition = step * transition
      processNoise = step.carried(processNoise)
      for i in 0..<5 { for j in 0..<5 { processNoise[i, j] += added[i, j] } }
      (state, here) = (next, there)
    }
    guard state.isFinite else { return nil }
    duration = end.seconds(since: start)
    delta = state
    self.transition = transition
    self.intrinsics = intrinsics
    self.byIntrinsics = byIntrinsics.byTriple
    covariance = processNoise.rowMajor
  }

  /// D_R, D_p, D_v at the biases of a state and other intrinsics, to first order; `rotationChange` is the change of
  /// D_R.
  package func delta(_ state: InertialState, _ intrinsics: IMUIntrinsics) -> (
    rotation: Rotation, position: Vector3, velocity: Vector3, rotationChange: Vector3
  ) {
    let dg = state.gyroscopeBias - delta.gyroscopeBias, da = state.accelerometerBias - delta.accelerometerBias
    var rotationChange = transition.rotationByGyroscopeBias * dg
    var position = transition.positionByGyroscopeBias * dg + transition.positionByAccelerometerBias * da
    var velocity = transition.velocityByGyroscopeBias * dg + transition.velocityByAccelerometerBias * da
    for (k, by) in byIntrinsics.enumerated() {
      let change = intrinsics.triples[k] - self.intrinsics.triples[k]
      rotationChange += by.theta * change
      position += by.position * change
      velocity += by.velocity * change
    }
    return (
      Rotation.exp(rotationChange) * delta.rotation, delta.position + position, delta.velocity + velocity,
      rotationChange
    )
  }

  /// The state at the end, from the state at the start, at the integration's intrinsics; gravity in world,
  /// m/s^2.
  package func carried(_ state: InertialState, gravity: Vector3) -> InertialState {
    let d = delta(state, intrinsics)
    var next = state
    next.rotation = state.rotation * d.rotation
    next.velocity += gravity * duration + state.rotation * d.velocity
    next.position += state.velocity * duration + gravity * (0.5 * duration * duration) + state.rotation * d.position
    return next
  }
}

/// The IMU factor: preintegrated motion between two keyframes.
///
///     r = (Log(R_i^T R_j D_R^T), R_i^T (p_j - p_i - v_i T - g T^2/2) - D_p, R_i^T (v_j - v_i - g T) - D_v,
///          b_g,j - b_g,i, b_a,j - b_a,i),
///
/// with the covariance of `PreintegratedIMU`; D is evaluated at the biases of i and the IMU's intrinsics. Error states:
/// rotation in the world frame, all else additive.
package struct InertialFactor: Sendable {
  /// Rows of the residual.
  package static let rows = 15
  private static let columns = 2 * InertialState.errorSize + RigEstimate.errorSize

  /// The motion.
  package let motion: PreintegratedIMU
  /// Gravity in the world, m/s^2.
  package let gravity: Vector3

  /// A factor from its parts.
  package init(motion: PreintegratedIMU, gravity: Vector3) {
    self.motion = motion
    self.gravity = gravity
  }

  /// The 15 residuals, unweighted.
  package func residual(_ a: InertialState, _ b: InertialState, _ intrinsics: IMUIntrinsics) -> [Double] {
    let d = motion.delta(a, intrinsics)
    let back = a.rotation.inverse
    return [
      (back * b.rotation * d.rotation.inverse).log, back * positionChange(a, b) - d.position,
      back * velocityChange(a, b) - d.velocity,
      b.gyroscopeBias - a.gyroscopeBias, b.accelerometerBias - a.accelerometerBias,
    ].flatMap { [$0.x, $0.y, $0.z] }
  }

  /// The residuals' Jacobian by the error states of both keyframes and of the rig: 15 x 52, row-major.
  package func jacobian(_ a: InertialState, _ b: InertialState, _ intrinsics: IMUIntrinsics) -> [Double] {
    let d = motion.delta(a, intrinsics)
    let back = a.rotation.inverse
    let error = (back * b.rotation * d.rotation.inverse).log
    let world = back.matrix
    // The left Jacobian is invertible for every angle up to pi.
    let unrolled = Rotation.leftJacobian(error).inverse ?? .identity
    let unrolledRight = Rotation.leftJacobian(-error).inverse ?? .identity
    let t = motion.duration, step = motion.transition
    var result = [Double](repeating: 0, count: Self.rows * Self.columns)
    func put(_ m: Matrix3, _ row: Int, _ column: Int, shift: Int = 0) {
      for i in 0..<3 {
        for j in 0..<3 { result[(3 * row + i) * Self.columns + 3 * column + shift + j] = m[i, j] }
      }
    }
    put(-(unrolled * world), 0, 0)
    put(-(unrolledRight * Rotation.leftJacobian(d.rotationChange) * step.rotationByGyroscopeBias), 0, 3)
    put(unrolled * world, 0, 5)
    put(world * positionChange(a, b).skew, 1, 0)
    put(-world, 1, 1)
    put(-t * world, 1, 2)
    put(-step.positionByGyroscopeBias, 1, 3)
    put(-step.positionByAccelerometerBias, 1, 4)
    put(world, 1, 6)
    put(world * velocityChange(a, b).skew, 2, 0)
    put(-world, 2, 2)
    put(-step.velocityByGyroscopeBias, 2, 3)
    put(-step.velocityByAccelerometerBias, 2, 4)
    put(world, 2, 7)
    // The intrinsics are last in the rig's error state, after seven numbers.
    for (k, by) in motion.byIntrinsics.enumerated() {
      put(-(unrolledRight * Rotation.leftJacobian(d.rotationChange) * by.theta), 0, 12 + k, shift: 1)
      put(-by.position, 1, 12 + k, shift: 1)
      put(-by.velocity, 2, 12 + k, shift: 1)
    }
    for k in 3..<5 {
      put(-Matrix3.identity, k, k)
      put(.identity, k, 5 + k)
    }
    return result
  }

  private func positionChange(_ a: InertialState, _ b: InertialState) -> Vector3 {
    b.position - a.position - a.velocity * motion.duration - gravity * (0.5 * motion.duration * motion.duration)
  }

  private func velocityChange(_ a: InertialState, _ b: InertialState) -> Vector3 {
    b.velocity - a.velocity - gravity * motion.duration
  }
}

/// The state at a time between two keyframes a and b whose joint distribution is known: the prediction from a by the
/// IMU, corrected by b.
///
/// F1, Q1 are transition and noise from a to that time, F2, Q2 from there to b, and `K = Q1 F2^T (F2 Q1 F2^T + Q2)^-1`.
/// Then `x = f1(a) [+] K (b [-] f2(f1(a)))`. Its covariance is that of `(I - K F2) F1 a + K b` plus `(I - K F2) Q1`.
/// This is the conditional distribution of a Gauss-Markov process between two of its values.
/// Source: Rauch, Tung, Striebel 1965, doi:10.2514/3.3166.
package struct InertialBridge {
  /// The state in between.
  package let state: InertialState
  /// Covariance of its pose's error (theta, p): 6 x 6 of 15 x 15, row-major as the error state's.
  package let covariance: SquareMatrix

  /// - Parameters:
  ///   - before, after: preintegrated motion from the first keyframe to the time, and from there to the second.
  ///   - joint: covariance blocks of the keyframes: (a a), (a b), (b b), 15 x 15 each.
  /// - Returns: nil where the motion's covariance is not positive definite.
  package init?(
    _ a: InertialState, _ b: InertialState, before: PreintegratedIMU, after: PreintegratedIMU, gravity: Vector3,
    joint: (aa: SquareMatrix, ab: SquareMatrix, bb: SquareMatrix)
  ) {
    let middle = before.carried(a, gravity: gravity)
    let end = after.carried(middle, gravity: gravity)
    let (f1, q1) = Self.world(before, from: a), (f2, q2) = Self.world(after, from: middle)
    guard let information = (f2 * q1 * f2.transpose + q2).positiveInverse else { return nil }
    let gain = q1 * f2.transpose * information
    let remainder = SquareMatrix.identity(InertialState.errorSize) - gain * f2
    state = middle.plus(gain * b.minus(end))
    guard state.isFinite else { return nil }
    let left = remainder * f1
    let cross = left * joint.ab * gain.transpose
    covariance =
      left * joint.aa * left.transpose + cross + cross.transpose + gain * joint.bb * gain.transpose + remainder * q1
  }

  /// Transition and noise of a motion, world axes.
  package static func world(_ motion: PreintegratedIMU, from state: InertialState) -> (SquareMatrix, SquareMatrix) {
    let r = state.rotation.matrix
    let d = motion.delta(state, motion.intrinsics)
    let step = motion.transition
    var transition = InertialTransition.identity
    transition.dt = motion.duration
    transition.rotationByGyroscopeBias = r * step.rotationByGyroscopeBias
    transition.velocityByRotation = -(state.rotation * d.velocity).skew
    transition.velocityByGyroscopeBias = r * step.velocityByGyroscopeBias
    transition.velocityByAccelerometerBias = r * step.velocityByAccelerometerBias
    transition.positionByRotation = -(state.rotation * d.position).skew
    transition.positionByGyroscopeBias = r * step.positionByGyroscopeBias
    transition.positionByAccelerometerBias = r * step.positionByAccelerometerBias
    var rotationBlocks = BlockMatrix15()
    for i in 0..<3 { rotationBlocks[i, i] = r }
    for i in 3..<5 { rotationBlocks[i, i] = .identity }
    let size = InertialState.errorSize
    let rotation = SquareMatrix(rotationBlocks.rowMajor, size: size)
    return (
      SquareMatrix(transition.matrix, size: size),
      rotation * SquareMatrix(motion.covariance, size: size) * rotation.transpose
    )
  }
}
