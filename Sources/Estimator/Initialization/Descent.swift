import Geometry

extension InitializationRefinement {
  /// A Levenberg-Marquardt descent, step by step, so that it can be spread over frames.
  ///
  /// A step solves `(A + mu diag A) x = b` and takes the better of two candidates: the separate steps of all poses, and the first
  /// state's step carried on by the inertial samples. Far from the solution separate steps leave the narrow valley that the samples
  /// allow. The second is not tried where the first gained what the quadratic model predicts, `x^T b`.
  /// Source: Madsen, Nielsen and Tingleff, "Methods for non-linear least squares problems", 2004, section 3.2.
  struct Descent: Sendable {
    /// Decrease of the cost, in squared sigmas, below which a descent is thorough: a thirtieth of a sigma. Tilt and bias of a unit
    /// with a wide prior form a narrow valley, along which each step gains little and many are needed.
    static let leastGain = 1e-3
    /// Share of the predicted gain from which on the quadratic model is right.
    static let goodShare = 0.75

    /// The present unknowns.
    private(set) var refinement: InitializationRefinement
    private let rounds: Int
    private let gain: Double
    private var damping = 1e-5
    private var round = 0

    /// Of at most `rounds` steps; converged once a step gains less than `gain`, by default 0.001 a point.
    init(_ refinement: InitializationRefinement, rounds: Int, gain: Double? = nil) {
      self.refinement = refinement
      self.rounds = rounds
      self.gain = gain ?? 1e-3 * Double(refinement.points.count)
    }

    /// Takes a step. Nil while there is more to do; then whether the descent has converged.
    mutating func step() -> Bool? {
      let linear = refinement.linear
      guard round < rounds, let step = linear.step(damping: damping) else { return false }
      round += 1
      guard let next = next(step, linear)?.relinearised() else {
        damping = max(damping * 30, 1e-3)
        return damping > 1e8 ? true : nil
      }
      refinement = next
      damping = max(damping / 10, 1e-9)
      return linear.cost - next.linear.cost < gain ? true : nil
    }

    /// The better candidate; nil where none has a lower cost.
    private func next(_ step: Linearisation.Step, _ linear: Linearisation) -> InitializationRefinement? {
      let moved = refinement.moved(by: step)
      let movedCost = moved.costOnly() ?? .infinity
      if linear.cost - movedCost >= Self.goodShare * linear.predictedGain(of: step) { return moved }
      let carried = moved.carried
      let carriedCost = carried.costOnly() ?? .infinity
      guard min(movedCost, carriedCost) <= linear.cost else { return nil }
      return carriedCost < movedCost ? carried : moved
    }
  }
}
