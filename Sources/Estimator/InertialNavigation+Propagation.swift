import Geometry
import Inertial
import SensorData

/// IMU propagation of state and covariance.
extension InertialNavigation {
  /// Time for which inertial samples are kept, seconds: enough for zero-velocity detection and for a restart.
  static let memory = 1.0

  /// True when a gap of more than a second precedes `end`: the state cannot be propagated across it.
  package func hasUnbridgeableGap(before end: Timestamp) -> Bool {
    samples.longestGap(from: time, to: end) > InertialNoise.longestSpacing
  }

  /// See `NavigationFilter`. Also false when the last inertial sample is more than 100 ms before `time`, or a gap
  /// exceeds a second.
  package func advance(to end: Timestamp) -> Bool {
    guard end >= time, let last = samples.samples.last,
      end.seconds(since: last.timestamp) <= InertialNoise.dropoutSpacing, !hasUnbridgeableGap(before: end)
    else { return false }
    guard end > time else { return true }

    var transition = InertialTransition.identity
    var byIntrinsics = IntrinsicsTransition()
    var processNoise = BlockMatrix15()
    var reached = first
    var here = time
    for there in samples.stops(from: time, to: end) {
      let reading = reading(from: here, to: there)
      let (next, step, added) = step(reading, from: here, to: there, linearisedAt: reached)
      if intrinsicsBlock != nil { byIntrinsics.extend(over: step, rate: reading.rate, force: reading.force) }
      transition = step * transition
      processNoise = step.carried(processNoise)
      for i in 0..<5 { for j in 0..<5 { processNoise[i, j] += added[i, j] } }
      if learning.online {
        let dt = there.seconds(since: here)
        excitation.add(
          angularVelocity: reading.rate - state.gyroscopeBias, acceleration: (next.velocity - state.velocity) / dt,
          seconds: dt, noise: noise.readingVariances(spacing: samples.spacing(from: here, to: there)))
      }
      (state, reached, here) = (next, next, there)
    }
    guard carryCovariance(transition, byIntrinsics, processNoise) else { return false }
    let seconds = end.seconds(since: time)
    guard propagateBias(over: seconds) else { return false }
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

  /// Gauss-Markov propagation of the accelerometer bias towards its mean, and random walk of the mean as stated by the
  /// calibration. Once per frame, which is short compared with the correlation time.
  private func propagateBias(over seconds: Double) -> Bool {
    guard let instability, let meanBiasBlock else { return true }
    state.accelerometerBias = instability.bias(state.accelerometerBias, mean: meanBias, after: seconds)
    let jacobian = [
      (poseBlock, instability.byState(after: seconds)), (meanBiasBlock, instability.byMean(after: seconds)),
    ]
    let randomWalk = noise.accelerometerRandomWalkVariance(over: seconds)
    return covariance.transform(poseBlock, jacobian: jacobian)
      && covariance.addNoise(poseBlock, variance: instability.processNoise(after: seconds))
      && covariance.addNoise(meanBiasBlock, variance: [Double](repeating: randomWalk, count: 3))
  }

  /// Mean reading between two moments, not corrected for intrinsics. `advance` has ensured that there are samples.
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
    let saturation = samples.saturation(from: here, to: there)
    return (next, step, noise.processNoise(over: step, quality: quality, spacing: spacing, saturation: saturation))
  }
}
