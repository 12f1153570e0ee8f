/// Decides the vertical class from its probabilities, with hysteresis: a pure state machine.
package struct VerticalLevelHysteresis {
  /// Probability at which a class is named.
  private let decide: Double
  /// Probability below which a named class is dropped.
  private let drop: Double
  /// The current class.
  package private(set) var estimate: VerticalDirectionEstimate = .unknown

  package init(decide: Double, drop: Double) {
    self.decide = decide
    self.drop = drop
  }

  /// Updates with the probabilities of the three classes (they sum to 1).
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
    // A decided class stays while it is nearly as probable; `aboveOrBelow` never replaces one that still stands.
    if estimate != .unknown, probability(estimate) >= drop { return }
    estimate = above + below >= decide ? .aboveOrBelow : .unknown
  }

  /// Forgets the class.
  package mutating func reset() { estimate = .unknown }
}
