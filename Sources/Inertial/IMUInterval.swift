import Geometry
import SensorData

/// The inertial samples between two moments, ready to carry any state from one to the other as often as wanted.
///
/// Where preintegration (Forster et al. 2017, doi:10.1109/TRO.2016.2597321) approximates the biases' effect by a first-order
/// correction, this integrates again: over the second or two of a start that costs microseconds and is exact.
package struct IMUInterval: Sendable {
  private struct Step {
    var rate, force: Vector3
    var dt, spacing: Double
  }

  /// Length, seconds.
  package let duration: Double
  private let steps: [Step]

  /// The samples from `start` to `end`; nil when they do not cover it, or leave out more than 100 ms anywhere.
  package init?(_ samples: IMUBuffer, from start: Timestamp, to end: Timestamp) {
    guard end > start, let first = samples.samples.first, let last = samples.samples.last,
      first.timestamp.seconds(since: start) <= InertialNoise.denseSpacing,
      end.seconds(since: last.timestamp) <= InertialNoise.denseSpacing
    else { return nil }
    var steps: [Step] = []
    var here = start
    for there in samples.samples(after: start, before: end).map(\.timestamp) + [end] {
      guard let a = samples.sample(at: here), let b = samples.sample(at: there) else { return nil }
      let spacing = samples.spacing(from: here, to: there)
      guard spacing <= InertialNoise.dropoutSpacing else { return nil }
      steps.append(
        Step(
          rate: 0.5 * (a.angularVelocity + b.angularVelocity), force: 0.5 * (a.specificForce + b.specificForce),
          dt: there.seconds(since: here), spacing: spacing))
      here = there
    }
    duration = end.seconds(since: start)
    self.steps = steps
  }

  /// The state at the end from the state at the start, measured by a unit with such axes.
  package func propagated(
    _ state: InertialState, _ propagation: InertialPropagation, axes: IMUIntrinsics = IMUIntrinsics()
  ) -> InertialState {
    steps.reduce(state) { state, step in
      let (rate, force) = axes.corrected(angularVelocity: step.rate, specificForce: step.force)
      return propagation.propagated(state, angularVelocity: rate, specificForce: force, dt: step.dt)
    }
  }

  /// The state at the end, how its error follows from that of the start and of the axes, and the noise gathered on the way.
  package func linearised(
    _ state: InertialState, _ propagation: InertialPropagation, _ noise: InertialNoise,
    axes: IMUIntrinsics = IMUIntrinsics()
  ) -> (end: InertialState, transition: InertialTransition, byAxes: IntrinsicsTransition, noise: BlockMatrix15) {
    var here = state
    var transition = InertialTransition.identity
    var byAxes = IntrinsicsTransition()
    var gathered = BlockMatrix15()
    for step in steps {
      let (rate, force) = axes.corrected(angularVelocity: step.rate, specificForce: step.force)
      let next = propagation.propagated(here, angularVelocity: rate, specificForce: force, dt: step.dt)
      let phi = propagation.transition(
        from: here, first: (here.position, here.velocity), to: next, angularVelocity: rate, specificForce: force,
        dt: step.dt)
      let added = noise.gathered(
        over: phi, quality: InertialNoise.quality(ofSpacing: step.spacing), spacing: step.spacing)
      gathered = phi.carried(gathered)
      for i in 0..<5 { for j in 0..<5 { gathered[i, j] += added[i, j] } }
      byAxes.extend(over: phi, rate: step.rate, force: step.force)
      transition = phi * transition
      here = next
    }
    return (here, transition, byAxes, gathered)
  }
}
