/// Says what is missing, from what the posterior leaves open: the motion that would separate what is left.
///
/// Pure: same findings, same judgement. The gating is Nearby Interaction's: movement, horizontal sweep and lighting
/// withhold the angle and the vertical estimate; vertical sweep withholds neither the angle nor anything horizontal.
package struct ConvergenceJudge {
  /// What is found at one moment.
  package struct JudgeInput {
    /// The posterior's readout; nil before there is one.
    package var readout: PublishableEstimate?
    /// The vertical estimate as decided, hysteresis included.
    package var vertical: VerticalDirectionEstimate
    /// The camera contributes too little.
    package var dark: Bool
    /// What is wrong with the signal.
    package var weakness: [PublicationObstacle]

    package init(readout: PublishableEstimate?, vertical: VerticalDirectionEstimate, dark: Bool, weakness: [PublicationObstacle]) {
      self.readout = readout
      self.vertical = vertical
      self.dark = dark
      self.weakness = weakness
    }
  }

  /// No motion helps as long as no range tells anything new.
  private static let silence: Set<PublicationObstacle> = [.stale, .repeated]

  /// Largest 1-sigma of the best known axis (a sine) that counts as "one axis is informed".
  private let directionSineSigmaLimit: Double
  private let maxProbabilityBeyond20Degrees: Double

  package init(_ configuration: FinderConfiguration) {
    directionSineSigmaLimit = configuration.directionSineSigmaLimit
    maxProbabilityBeyond20Degrees = configuration.maxProbabilityBeyond20Degrees
  }

  /// The judgement.
  package func judge(_ findings: JudgeInput) -> Convergence {
    guard let readout = findings.readout else {
      return findings.dark || !findings.weakness.isEmpty
        ? Convergence(status: .notConverged, reasons: environment(findings)) : Convergence(status: .unknown)
    }
    var reasons = findings.dark ? [Convergence.Reason.insufficientLighting] : []
    let open = open(readout, findings.vertical)
    let isDirectionOpen = readout.angle != nil && !open.isEmpty && !open.contains(.heightUndecided)
    var asked: Convergence.Reason?
    if !findings.dark {
      if isDirectionOpen, readout.isWidestSideways { asked = .insufficientHorizontalSweep }
      if !Self.silence.isDisjoint(with: findings.weakness) { asked = .insufficientSignalStrength }
    }
    for reason in open.compactMap(\.reason) where !reasons.contains(reason) { reasons.append(reason) }
    // Converged is what is published, no more: a weak signal is a reason only where something is missing.
    guard !reasons.isEmpty else { return Convergence(status: .converged) }
    if !findings.weakness.isEmpty { reasons.append(.insufficientSignalStrength) }
    return Convergence(status: .notConverged, reasons: reasons, asked: asked)
  }

  /// What the posterior leaves open, most important first; empty where all of it is published.
  package func open(_ readout: PublishableEstimate, _ vertical: VerticalDirectionEstimate) -> [PublicationObstacle] {
    // Nothing informed: the posterior still covers the sphere. One axis informed: a ring or a pair of mirror images
    // is left, and the ring's missing axis is sideways.
    let isUnexplored = readout.bestAxis > directionSineSigmaLimit
    switch readout.noAngle {
    case .near: return [.near]
    case .wide: return [isUnexplored ? .unexplored : .wide]
    case .mirror: return [isUnexplored ? .unexplored : .ambiguous]
    case .contradicted: return [isUnexplored ? .unexplored : .contradicted]
    case nil: break
    }
    var open: [PublicationObstacle] = []
    if ![.same, .above, .below].contains(vertical) { open.append(.heightUndecided) }
    if !readout.positionIsGood { open.append(.positionTooWide) }
    if readout.rivals > maxProbabilityBeyond20Degrees { open.append(.rivals) }
    return open
  }

  private func environment(_ findings: JudgeInput) -> [Convergence.Reason] {
    (findings.dark ? [.insufficientLighting] : []) + (findings.weakness.isEmpty ? [] : [.insufficientSignalStrength])
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
