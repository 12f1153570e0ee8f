import Geometry
import Inertial

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
