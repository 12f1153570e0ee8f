/// Damped Gauss-Newton descent: the damping, what is accepted, and when it ends. The problem solves
/// `(A + mu D) x = b` and evaluates the cost there. Step by step, so that a descent can be spread over frames.
///
/// Source: Madsen, Nielsen, Tingleff, "Methods for non-linear least squares problems", DTU 2004, 3.2.
@frozen @usableFromInline
package struct LevenbergMarquardt: Sendable {
  /// Why it ended.
  @frozen @usableFromInline
  package enum Ending: Equatable, Sendable {
    /// The first step hardly changed the cost: it started at the minimum.
    case settled
    /// A step hardly changed the cost: a minimum.
    case converged
    /// All steps are used: not converged.
    case stepsUsedUp
    /// No step decreases the cost, however short.
    case stuck
    /// The equations have no solution.
    case singular
  }

  /// What the problem found at a damping.
  @frozen @usableFromInline
  package enum Attempt<Estimate> {
    /// An estimate and its cost. It is taken where that is finite and no larger than the present one.
    case candidate(Estimate, cost: Double)
    /// Nothing with so little damping.
    case refused
    /// Nothing with any.
    case singular
  }

  /// How the damping mu changes.
  @frozen @usableFromInline
  package struct Damping: Sendable {
    /// At the beginning.
    @usableFromInline let first: Double
    /// Divisor after a step that is taken, and the least value then.
    @usableFromInline let ease: Double, least: Double
    /// Factor after one that is not, and the least value then.
    @usableFromInline let raise: Double, leastRaised: Double
    /// Above this the descent is stuck.
    @usableFromInline let most: Double

    /// From its parts.
    package init(
      from first: Double, ease: Double = 10, least: Double = 1e-9, raise: Double = 10, leastRaised: Double = 0,
      most: Double = 1e8
    ) {
      (self.first, self.ease, self.least) = (first, ease, least)
      (self.raise, self.leastRaised, self.most) = (raise, leastRaised, most)
    }
  }

  @usableFromInline let mostSteps: Int
  @usableFromInline let absolute: Double, relative: Double
  @usableFromInline let damping: Damping
  /// The present damping.
  @usableFromInline package var mu: Double
  /// Steps so far.
  @usableFromInline var taken = 0

  /// A descent.
  ///
  /// - Parameters:
  ///   - steps: most steps, refused ones included.
  ///   - absolute, relative: at a minimum a step decreases the cost by no more than this, and this part of the cost.
  package init(steps: Int, absolute: Double = 0, relative: Double = 0, damping: Damping) {
    (mostSteps, self.absolute, self.relative, self.damping, mu) = (steps, absolute, relative, damping, damping.first)
  }

  /// Whether all steps are taken.
  @inlinable package var isUsedUp: Bool { taken >= mostSteps }

  /// Takes a step from an estimate and its cost. Nil while there is more to do.
  @inlinable package mutating func step<Estimate>(
    _ estimate: inout Estimate, cost: inout Double, attempt: (Estimate, _ damping: Double) -> Attempt<Estimate>
  ) -> Ending? {
    guard taken < mostSteps else { return .stepsUsedUp }
    let outcome = attempt(estimate, mu)
    if case .singular = outcome { return .singular }
    taken += 1
    guard case .candidate(let next, let nextCost) = outcome, nextCost.isFinite, nextCost <= cost else {
      mu = max(mu * damping.raise, damping.leastRaised)
      return mu > damping.most ? .stuck : nil
    }
    let gain = cost - nextCost
    (estimate, cost) = (next, nextCost)
    mu = max(mu / damping.ease, damping.least)
    return gain > absolute + relative * cost ? nil : taken == 1 ? .settled : .converged
  }

  /// Takes steps to the end.
  @discardableResult
  @inlinable package mutating func descend<Estimate>(
    _ estimate: inout Estimate, cost: inout Double, attempt: (Estimate, _ damping: Double) -> Attempt<Estimate>
  ) -> Ending {
    while true { if let ending = step(&estimate, cost: &cost, attempt: attempt) { return ending } }
  }
}
