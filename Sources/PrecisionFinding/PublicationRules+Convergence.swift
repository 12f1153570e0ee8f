/// The convergence rule: maps a `PublishableEstimate` to the obstacles that are left, their reasons and the requested
/// motion.
///
/// A peer is converged when the camera is usable and all of these hold (limits by their settings):
/// - `d_h >= 0.5 m` and `d_h >= 2 sigma(d_h)` for the horizontal distance `d_h`;
/// - `P(|angle - mean| > 45 deg) <= maxProbabilityBeyond45Degrees`, and `P(contradiction)` at most the same;
/// - `(q95 - q05) / 2 <= angleHalfWidthDegrees` for the horizontal angle;
/// - a vertical class (same, above, below) is named: `P(class) >= verticalDecision`, kept down to `verticalDrop`;
/// - `sigma(position) <= max(0.3 m, 0.15 distance)` and `P(|position - mean| > max(positionLimit, positionLimitShare
///   distance)) <= maxProbabilityBeyondPositionLimit`;
/// - `P(over 20 deg away) <= maxProbabilityBeyond20Degrees`.
///
/// Pure: same conditions, same result. Gating is Nearby Interaction's: movement, horizontal sweep and lighting withhold
/// the angle and the vertical estimate. A vertical sweep withholds neither the angle nor anything horizontal.
extension PublicationRules {
  /// What convergence depends on, at one moment.
  package struct Conditions {
    /// The outputs of the posterior; nil before there is one.
    package var estimate: PublishableEstimate?
    /// The vertical estimate as decided, hysteresis included.
    package var vertical: VerticalDirectionEstimate
    /// The camera contributes too little.
    package var dark: Bool
    /// Obstacles of the signal.
    package var weakness: [PublicationObstacle]

    package init(
      estimate: PublishableEstimate?, vertical: VerticalDirectionEstimate, dark: Bool, weakness: [PublicationObstacle]
    ) {
      self.estimate = estimate
      self.vertical = vertical
      self.dark = dark
      self.weakness = weakness
    }
  }

  /// No motion helps as long as no new range comes.
  private static let withoutRanges: Set<PublicationObstacle> = [.stale, .repeated]

  /// Evaluates the rule.
  package func convergence(_ conditions: Conditions) -> Convergence {
    guard let estimate = conditions.estimate else {
      return conditions.dark || !conditions.weakness.isEmpty
        ? Convergence(status: .notConverged, reasons: environment(conditions)) : Convergence(status: .unknown)
    }
    var reasons = conditions.dark ? [Convergence.Reason.insufficientLighting] : []
    let obstacles = obstacles(estimate, conditions.vertical)
    let isDirectionOpen = estimate.angle != nil && !obstacles.isEmpty && !obstacles.contains(.heightUndecided)
    var asked: Convergence.Reason?
    if !conditions.dark {
      if isDirectionOpen, estimate.isWidestSideways { asked = .insufficientHorizontalSweep }
      if !Self.withoutRanges.isDisjoint(with: conditions.weakness) { asked = .insufficientSignalStrength }
    }
    for reason in obstacles.compactMap(\.reason) where !reasons.contains(reason) { reasons.append(reason) }
    // Convergence is what is published, no more: a weak signal is a reason only where something is missing.
    guard !reasons.isEmpty else { return Convergence(status: .converged) }
    if !conditions.weakness.isEmpty { reasons.append(.insufficientSignalStrength) }
    return Convergence(status: .notConverged, reasons: reasons, asked: asked)
  }

  /// Obstacles of the posterior, most important first; empty where all of it is published.
  package func obstacles(
    _ estimate: PublishableEstimate, _ vertical: VerticalDirectionEstimate
  ) -> [PublicationObstacle] {
    // No axis observed: the posterior covers the sphere. One axis observed: a ring or an ambiguity is left, and the
    // ring's missing axis is sideways.
    let isUnexplored = !observedAxis.isMet(by: estimate.bestAxis)
    switch estimate.noAngle {
    case .near: return [.near]
    case .wide: return [isUnexplored ? .unexplored : .wide]
    case .ambiguous: return [isUnexplored ? .unexplored : .ambiguous]
    case .contradicted: return [isUnexplored ? .unexplored : .contradicted]
    case nil: break
    }
    var obstacles: [PublicationObstacle] = []
    if ![.same, .above, .below].contains(vertical) { obstacles.append(.heightUndecided) }
    if !estimate.positionIsGood { obstacles.append(.positionTooWide) }
    if !beyond20.isMet(by: estimate.probabilityBeyond20Degrees) { obstacles.append(.competingModes) }
    return obstacles
  }

  /// The session's own convergence: a trajectory that the camera carries, from a set-up as stated.
  func session(hasTrajectory: Bool, isBlind: Bool, isRefuted: Bool) -> Convergence {
    if isRefuted { return Convergence(status: .unknown) }
    if isBlind { return Convergence(status: .notConverged, reasons: [.insufficientLighting]) }
    return Convergence(status: hasTrajectory ? .converged : .unknown)
  }

  private func environment(_ conditions: Conditions) -> [Convergence.Reason] {
    (conditions.dark ? [.insufficientLighting] : [])
      + (conditions.weakness.isEmpty ? [] : [.insufficientSignalStrength])
  }
}

extension Convergence {
  /// True when a reason withholds the horizontal angle and the vertical estimate.
  package var withholdsAngle: Bool {
    reasons.contains {
      $0 == .insufficientMovement || $0 == .insufficientHorizontalSweep || $0 == .insufficientLighting
    }
  }
}
