/// Solves a `BatchProblem` by damped Gauss-Newton steps (Levenberg-Marquardt).
/// Source: Madsen, Nielsen, Tingleff, "Methods for non-linear least squares problems", DTU 2004, 3.2.
package struct LevenbergMarquardt {
  /// Why it stopped.
  package enum Ending: Equatable, Sendable {
    /// The first step hardly changed the cost: it started at the minimum.
    case settled
    /// A step hardly changed the cost: a minimum.
    case converged
    /// All steps are used: better than the start, not converged.
    case stepsUsedUp
    /// No step decreased the cost: the start, or the last good estimate.
    case stuck
  }

  /// Most steps, refused ones included.
  package var mostSteps = 20
  /// Relative decrease of the cost at convergence. Small: observations dominate the cost but do not observe the scale,
  /// which may be wrong by several sigmas at a ten-thousandth of the cost.
  package var tolerance = 1e-6

  /// The defaults.
  package init() {}

  /// Minimises the cost in place; reports the fraction of the steps done to `progress`.
  ///
  /// - Returns: nil when the equations cannot be set up (no memory).
  package func solve(_ problem: inout BatchProblem, progress: (Double) -> Void = { _ in }) -> Ending? {
    guard let equations = problem.equations() else { return nil }
    problem.refinePeers()
    var cost = problem.refinePoints() + problem.costWithoutObservations
    guard cost.isFinite else { return .stuck }
    // Small: the scale of a long walk has far less information than local positions, and damping would hold it.
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
