import Geometry
import Inertial
import SensorData

/// Time passes.
extension InertialNavigation {
  /// How long inertial samples are kept, seconds: long enough to judge stillness and to start anew.
  static let memory = 1.0

  /// True when more than a second of motion is missing before `end`: the state cannot be carried there any more.
  package func isSaturated(from end: Timestamp) -> Bool {
    samples.longestGap(from: time, to: end) > InertialNoise.longestSpacing
  }

  /// See `NavigationFilter`. False also when the last inertial sample is more than 100 ms before `time`, and when more than
  /// a second of motion is missing.
  package func advance(to end: Timestamp) -> Bool {
    guard end >= time, let last = samples.samples.last,
      end.seconds(since: last.timestamp) <= InertialNoise.dropoutSpacing, !isSaturated(from: end)
    else { return false }
    guard end > time else { return true }

    var transition = InertialTransition.identity
    var byIntrinsics = IntrinsicsTransition()
    var gathered = BlockMatrix15()
    var reached = first
    var here = time
    for there in samples.stops(from: time, to: end) {
      let reading = reading(from: here, to: there)
      let (next, step, added) = step(reading, from: here, to: there, linearisedAt: reached)
      if intrinsicsBlock != nil { byIntrinsics.extend(over: step, rate: reading.rate, force: reading.force) }
      transition = step * transition
      gathered = step.carried(gathered)
      for i in 0..<5 { for j in 0..<5 { gathered[i, j] += added[i, j] } }
      if learning.online {
        let dt = there.seconds(since: here)
        excitation.add(
          turning: reading.rate - state.gyroscopeBias, accelerating: (next.velocity - state.velocity) / dt, seconds: dt,
          noise: noise.readingVariances(spacing: samples.spacing(from: here, to: there)))
      }
      (state, reached, here) = (next, next, there)
    }
    guard carryCovariance(transition, byIntrinsics, gathered) else { return false }
    let seconds = end.seconds(since: time)
    guard letBiasReturn(over: seconds) else { return false }
    observer?.propagated(transition.matrix, from: first, to: state)
    first = state
    time = end
    samples.forget(before: end.advanced(bySeconds: -Self.memory))
    drift.update(self, seconds: seconds)
    return true
  }

  private func carryCovariance(
    _ transition: InertialTransition, _ byIntrinsics: IntrinsicsTransition, _ noise: BlockMatrix15
  ) -> Bool {
    guard let intrinsicsBlock else {
      return covariance.propagate(poseBlock, transition: transition.matrix, noise: noise.rowMajor)
    }
    let jacobian = [(poseBlock, transition.matrix), (intrinsicsBlock, byIntrinsics.matrix)]
    return covariance.transform(poseBlock, jacobian: jacobian)
      && covariance.propagate(poseBlock, transition: InertialTransition.identity.matrix, noise: noise.rowMajor)
  }

  /// The accelerometer's bias wanders about its mean, and the mean walks as the calibration states. Once a frame: that is short beside the
  /// wander's memory.
  private func letBiasReturn(over seconds: Double) -> Bool {
    guard let wander, let meanBiasBlock else { return true }
    state.accelerometerBias = wander.bias(state.accelerometerBias, mean: meanBias, after: seconds)
    let jacobian = [
      (poseBlock, wander.byState(after: seconds)), (meanBiasBlock, wander.byMean(after: seconds)),
    ]
    let walk = noise.accelerometerRandomWalkStep(over: seconds)
    return covariance.transform(poseBlock, jacobian: jacobian)
      && covariance.addNoise(poseBlock, variance: wander.gathered(after: seconds))
      && covariance.addNoise(meanBiasBlock, variance: [Double](repeating: walk, count: 3))
  }

  /// What the sensor gave between two moments, its axes' errors not removed. `advance` has made sure that there are samples.
  private func reading(from here: Timestamp, to there: Timestamp) -> (rate: Vector3, force: Vector3) {
    let a = samples.sample(at: here)!, b = samples.sample(at: there)!
    return (0.5 * (a.angularVelocity + b.angularVelocity), 0.5 * (a.specificForce + b.specificForce))
  }

  private func step(
    _ reading: (rate: Vector3, force: Vector3), from here: Timestamp, to there: Timestamp,
    linearisedAt reached: InertialState
  ) -> (next: InertialState, step: InertialTransition, noise: BlockMatrix15) {
    let (rate, force) = intrinsics.corrected(angularVelocity: reading.rate, specificForce: reading.force)
    let dt = there.seconds(since: here)
    let next = propagation.propagated(state, angularVelocity: rate, specificForce: force, dt: dt)
    let step = propagation.transition(
      from: state, first: (reached.position, reached.velocity), to: next, angularVelocity: rate, specificForce: force,
      dt: dt)
    let spacing = samples.spacing(from: here, to: there)
    let quality = InertialNoise.quality(ofSpacing: spacing)
    if quality == .dropout { dropouts += 1 }
    let cut = samples.cut(from: here, to: there)
    return (next, step, noise.gathered(over: step, quality: quality, spacing: spacing, cut: cut))
  }
}
