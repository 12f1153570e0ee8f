import PrecisionFinding

extension CoachingLadder {
  /// What can be asked, most basic first.
  public enum Request: String, Sendable, CaseIterable {
    /// Nothing is heard: look elsewhere.
    case search
    /// The camera sees too little.
    case moreLight
    /// The signal is weak.
    case moveCloser
    /// Nothing is known of the direction.
    case moveAround
    /// Two mirror images are left.
    case sweepSideways
    /// The same, asked for too long: another place may see better.
    case moveElsewhere
    /// The direction is known: go.
    case go
    /// Near and ahead, but not placed.
    case sweepUpAndDown
    /// Placed.
    case found

    /// One sentence for the user.
    public var sentence: String {
      switch self {
      case .search: "Nothing is heard yet: walk on a little."
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
