/// Decides on the vertical estimate from its probabilities, with hysteresis: a pure state machine.
package struct VerticalJudge {
  /// Probability at which a class is named.
  private let decide: Double
  /// Probability below which a named class is dropped.
  private let drop: Double
  /// What it says now.
  package private(set) var estimate: VerticalDirectionEstimate = .unknown

  package init(decide: Double, drop: Double) {
    self.decide = decide
    self.drop = drop
  }

  /// Takes in the probabilities of the three classes (they sum to 1).
  package mutating func update(above: Double, below: Double, same: Double) {
    func probability(_ e: VerticalDirectionEstimate) -> Double {
      switch e {
      case .above: above
      case .below: below
      case .same: same
      case .aboveOrBelow: above + below
      case .unknown: 0
      }
    }
    for side in [VerticalDirectionEstimate.above, .below, .same] where probability(side) >= decide {
      estimate = side
      return
    }
    // A decided side stays while it is nearly as sure; "not this level" never hides a side that still stands.
    if estimate != .unknown, probability(estimate) >= drop { return }
    estimate = above + below >= decide ? .aboveOrBelow : .unknown
  }

  /// Forgets what it said.
  package mutating func reset() { estimate = .unknown }
}
