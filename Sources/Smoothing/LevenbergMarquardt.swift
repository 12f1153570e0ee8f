/// Solves a `BatchProblem` by damped Gauss-Newton steps.
/// Source: Madsen, Nielsen, Tingleff, "Methods for non-linear least squares problems", DTU 2004, 3.2.
package struct LevenbergMarquardt {
  /// Why it stopped, and what may be relied on then.
  package enum Ending: Equatable, Sendable {
    /// The first step hardly changed the cost: it was at the minimum already.
    case settled
    /// A step hardly changed the cost: a minimum.
    case converged
    /// All steps are used up: better than the start, not yet a minimum.
    case stepsUsedUp
    /// No step made it better: the start, or the last good estimate.
    case stuck
  }

  /// Most steps, refused ones included.
  package var mostSteps = 20
  /// Relative decrease of the cost below which it is done. Small: the sights make most of the cost, and the
  /// scale, which they leave open, may be sigmas off for a ten-thousandth of it.
  package var tolerance = 1e-6

  /// The defaults.
  package init() {}

  /// Improves the problem's estimates in place; tells `progress` the share of the steps done.
  ///
  /// - Returns: nil when the equations cannot be set up (no memory).
  package func solve(_ problem: inout BatchProblem, progress: (Double) -> Void = { _ in }) -> Ending? {
    guard let equations = problem.equations() else { return nil }
    problem.refinePeers()
    var cost = problem.refinePoints() + problem.costWithoutObservations
    guard cost.isFinite else { return .stuck }
    // Little: the scale of a long walk is known so much worse than where it passes each point that damping would hold it.
    var damping = 1e-9
    var improved = false
    for step in 0..<mostSteps {
      progress(Double(step) / Double(mostSteps))
      problem.linearise(into: equations)
      if let dx = equations.solve(damping: damping) {
        var candidate = problem.moved(by: dx)
        candidate.refinePeers()
        let next = candidate.refinePoints() + candidate.costWithoutObservations
        if next.isFinite, next <= cost {
          let gain = cost - next
          problem = candidate
          cost = next
          damping = max(damping / 10, 1e-10)
          improved = true
          if gain <= tolerance * cost { return step == 0 ? .settled : .converged }
          continue
        }
      }
      damping *= 10
      if damping > 1e6 { return .stuck }
    }
    return improved ? .stepsUsedUp : .stuck
  }
}
