import PrecisionFinding

/// Which single thing to ask of the user now.
///
/// Several reasons may hold at once; a user can do one thing at a time. What helps first comes first, and a request stays for
/// a moment: sentences that flicker are not followed. A pure state machine; seconds of the caller's clock.
public struct CoachingLadder: Sendable {
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
  }

  /// What is known at a moment.
  public struct Situation: Equatable, Sendable {
    /// Metres; nil for nothing heard.
    public var distance: Double?
    /// Radians, positive right; nil when not known.
    public var horizontalAngle: Double?
    /// What camera assistance says.
    public var convergence: Convergence
    /// Whether the peer's place is known.
    public var isPlaced: Bool

    /// A situation from its parts.
    public init(distance: Double?, horizontalAngle: Double?, convergence: Convergence, isPlaced: Bool) {
      self.distance = distance
      self.horizontalAngle = horizontalAngle
      self.convergence = convergence
      self.isPlaced = isPlaced
    }
  }

  /// A request stays at least this long, seconds; `found` and `search` come at once.
  public var dwell = 1.0
  /// Sweeping sideways for this long without an angle asks for another place, seconds.
  public var patience = 8.0
  private var current: (request: Request, since: Double)?
  private var sweepingSince: Double?
  private let marker = MarkerRule()

  /// Nothing asked yet.
  public init() {}

  /// What to ask now.
  public mutating func request(for situation: Situation, at time: Double) -> Request {
    let wanted = wanted(situation, at: time)
    if let current, current.request != wanted, wanted != .found, wanted != .search, time - current.since < dwell {
      return current.request
    }
    if current?.request != wanted { current = (wanted, time) }
    return wanted
  }

  private mutating func wanted(_ situation: Situation, at time: Double) -> Request {
    let sweeps = situation.distance != nil && situation.horizontalAngle == nil
    sweepingSince = sweeps ? sweepingSince ?? time : nil
    guard situation.distance != nil else { return .search }
    let reasons = situation.convergence.reasons
    guard situation.horizontalAngle != nil else {
      if reasons.contains(.insufficientLighting) { return .moreLight }
      if reasons.contains(.insufficientSignalStrength) { return .moveCloser }
      if let since = sweepingSince, time - since > patience { return .moveElsewhere }
      return reasons.contains(.insufficientMovement) ? .moveAround : .sweepSideways
    }
    guard marker.isInView(distance: situation.distance, horizontalAngle: situation.horizontalAngle) else { return .go }
    return situation.convergence.status == .converged && situation.isPlaced ? .found : .sweepUpAndDown
  }
}
