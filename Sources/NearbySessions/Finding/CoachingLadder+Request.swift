import PrecisionFinding

extension CoachingLadder {
  /// Requests to the user, most basic first.
  public enum Request: String, Sendable, CaseIterable {
    /// The set-up is broken: no sweep helps. `CoachingLadder.sentence` says what to do.
    case mendSetUp
    /// Nothing is received: look elsewhere.
    case search
    /// The camera sees too little.
    case moreLight
    /// The signal is weak.
    case moveCloser
    /// The direction is unknown.
    case moveAround
    /// Two directions are left: a lateral ambiguity.
    case sweepSideways
    /// The same, unresolved for `patience`: another position may do better.
    case moveElsewhere
    /// The direction is known: go.
    case go
    /// Near and ahead, but the position is unknown.
    case sweepUpAndDown
    /// The position is known.
    case found

    /// One sentence for the user.
    public var sentence: String {
      switch self {
      case .mendSetUp: "Something is wrong with this device's set-up."
      case .search: "No signal yet: walk on a little."
      case .moreLight: Convergence.Reason.insufficientLighting.guidance
      case .moveCloser: Convergence.Reason.insufficientSignalStrength.guidance
      case .moveAround: Convergence.Reason.insufficientMovement.guidance
      case .sweepSideways: Convergence.Reason.insufficientHorizontalSweep.guidance
      case .moveElsewhere: "Go to another place and try there."
      case .go: "Follow the arrow."
      case .sweepUpAndDown: Convergence.Reason.insufficientVerticalSweep.guidance
      case .found: "Here it is."
      }
    }
  }
}
