import Geometry
import SensorData

/// The inertial samples between two moments, to propagate any state across them repeatedly.
///
/// Preintegration (Forster et al. 2017, doi:10.1109/TRO.2016.2597321) corrects for the biases to first order. This
/// re-integrates instead: exact, and microseconds over the second or two of an initialisation.
package struct IMUInterval: Sendable {
  private struct Step {
    var rate, force: Vector3
    var dt, spacing: Double
  }

  /// Length, seconds.
  package let duration: Double
  private let steps: [Step]

  /// The samples from `start` to `end`; nil if they do not cover it or have a gap above 100 ms.
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

  /// The end state predicted from the start state, with the intrinsics `axes`.
  package func propagated(
    _ state: InertialState, _ propagation: InertialPropagation, axes: IMUIntrinsics = IMUIntrinsics()
  ) -> InertialState {
    steps.reduce(state) { state, step in
      let (rate, force) = axes.corrected(angularVelocity: step.rate, specificForce: step.force)
      return propagation.propagated(state, angularVelocity: rate, specificForce: force, dt: step.dt)
    }
  }

  /// The predicted end state and its error's transition from the errors of start state and intrinsics.
  package func linearised(
    _ state: InertialState, _ propagation: InertialPropagation, axes: IMUIntrinsics = IMUIntrinsics()
  ) -> (end: InertialState, transition: InertialTransition, byAxes: IntrinsicsTransition) {
    var transition = InertialTransition.identity
    var byAxes = IntrinsicsTransition()
    let end = stepped(state, propagation, axes) { step, phi, rate, force in
      byAxes.extend(over: phi, rate: rate, force: force)
      transition = phi * transition
    }
    return (end, transition, byAxes)
  }

  /// The process noise over the interval, from a start state: `Q <- Phi Q Phi^T + Q_k` sample by sample.
  package func processNoise(_ state: InertialState, _ propagation: InertialPropagation, _ noise: InertialNoise)
    -> BlockMatrix15
  {
    var processNoise = BlockMatrix15()
    _ = stepped(state, propagation, IMUIntrinsics()) { step, phi, _, _ in
      let added = noise.processNoise(
        over: phi, quality: InertialNoise.quality(ofSpacing: step.spacing), spacing: step.spacing)
      processNoise = phi.carried(processNoise)
      for i in 0..<5 { for j in 0..<5 { processNoise[i, j] += added[i, j] } }
    }
    return processNoise
  }

  /// Propagates a state and hands over each step's transition; returns the end state.
  @inline(__always)
  private func stepped(
    _ state: InertialState, _ propagation: InertialPropagation, _ axes: IMUIntrinsics,
    _ visit: (_ step: Step, _ phi: InertialTransition, _ rate: Vector3, _ force: Vector3) -> Void
  ) -> InertialState {
    var here = state
    for step in steps {
      let (rate, force) = axes.corrected(angularVelocity: step.rate, specificForce: step.force)
      let next = propagation.propagated(here, angularVelocity: rate, specificForce: force, dt: step.dt)
      let phi = propagation.transition(
        from: here, first: (here.position, here.velocity), to: next, angularVelocity: rate, specificForce: force,
        dt: step.dt)
      visit(step, phi, step.rate, step.force)
      here = next
    }
    return here
  }
}
