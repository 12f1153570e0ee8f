import Geometry
import PrecisionFinding

/// Selects the one request to show to the user now.
///
/// Several reasons may hold at once; a user can do one thing at a time. The most basic request comes first. Each stays
/// for at least `dwell`, so that requests do not flicker. A pure state machine; times are seconds of the caller's
/// clock.
public struct CoachingLadder: Sendable {
  /// Input of the ladder at one time.
  public struct Situation: Equatable, Sendable {
    /// Metres; nil for nothing received.
    public var distance: Double?
    /// Radians, positive right; nil when not known.
    public var horizontalAngle: Double?
    /// Convergence of camera assistance for the peer.
    public var convergence: NIAlgorithmConvergenceStatus
    /// Whether the peer's position is known.
    public var isPlaced: Bool

    /// A situation from its parts.
    public init(
      distance: Double?, horizontalAngle: Double?, convergence: NIAlgorithmConvergenceStatus, isPlaced: Bool
    ) {
      self.distance = distance
      self.horizontalAngle = horizontalAngle
      self.convergence = convergence
      self.isPlaced = isPlaced
    }

    /// A situation from a session: its last object (nil before the first), the last convergence for it, and whether
    /// `NISession.worldTransform(for:)` returned a position.
    public init(object: NINearbyObject?, convergence: NIAlgorithmConvergenceStatus, isPlaced: Bool) {
      self.init(
        distance: object?.distance.map { Double($0) }, horizontalAngle: object?.horizontalAngle.map { Double($0) },
        convergence: convergence, isPlaced: isPlaced)
    }

    var reasons: [NIAlgorithmConvergenceStatus.Reason] {
      if case .notConverged(let reasons) = convergence { reasons } else { [] }
    }
  }

  /// A request stays at least this long, seconds; `found`, `search` and `mendSetUp` come at once.
  public var dwell = 1.0
  /// `sweepSideways` without an angle becomes `moveElsewhere` after this long, seconds.
  public var patience = 8.0
  private var current: (request: Request, since: Double)?
  private var sweepingSince: Double?
  private var marker = MarkerRule()
  private var remedy: String?

  /// The sentence of the last request: of `mendSetUp` what was found of the set-up, and what to do.
  public var sentence: String? {
    current.map { $0.request == .mendSetUp ? remedy ?? $0.request.sentence : $0.request.sentence }
  }

  /// A ladder without a current request.
  public init() {}

  /// The request for a situation at a time.
  public mutating func request(for situation: Situation, at time: Double) -> Request {
    let wanted = wanted(situation, at: time)
    remedy = situation.reasons.first(where: \.isBrokenSetUp)?.localizedDescription
    let isAtOnce = [.found, .search, .mendSetUp].contains(wanted)
    if let current, current.request != wanted, !isAtOnce, time - current.since < dwell { return current.request }
    if current?.request != wanted { current = (wanted, time) }
    return wanted
  }

  private mutating func wanted(_ situation: Situation, at time: Double) -> Request {
    let sweeps = situation.distance != nil && situation.horizontalAngle == nil
    sweepingSince = sweeps ? sweepingSince ?? time : nil
    let isShown = marker.update(
      distance: situation.distance, horizontalAngle: situation.horizontalAngle,
      isConverged: situation.convergence == .converged, isPlaced: situation.isPlaced)
    if isShown { return .found }
    // What a user does cannot mend a broken set-up.
    if situation.reasons.contains(where: \.isBrokenSetUp) { return .mendSetUp }
    guard situation.distance != nil else { return .search }
    guard situation.horizontalAngle != nil else {
      let reasons = situation.reasons
      if reasons.contains(.insufficientLighting) { return .moreLight }
      if reasons.contains(.insufficientSignalStrength) { return .moveCloser }
      if let since = sweepingSince, time - since > patience { return .moveElsewhere }
      return reasons.contains(.insufficientMovement) ? .moveAround : .sweepSideways
    }
    let isInView = marker.isInView(distance: situation.distance, horizontalAngle: situation.horizontalAngle)
    return isInView ? .sweepUpAndDown : .go
  }

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

extension PointingQuery.Candidate {
  /// A candidate from a session's object. Its angle off the back camera's axis comes from the direction, else from the
  /// horizontal angle; nil when neither is known.
  public init?(_ object: NINearbyObject, named peer: String) {
    self.init(
      peer: peer, direction: object.direction.map { Vector3(Double($0.x), Double($0.y), Double($0.z)) },
      horizontalAngle: object.horizontalAngle.map { Double($0) }, distance: object.distance.map { Double($0) })
  }
}
