import Foundation
import Geometry

/// All limits on what is published, each once: what is measured, how much is allowed, and what it withholds.
///
/// A posterior is held against them by `PublishableEstimate`, which stops at the first limit that fails the angle; what
/// stands against a whole link by `LinkObjections`. `fuse explain`, forecasts and the session read the same limits, and
/// the table of docs/method/publication.md is `table`.
package struct PublicationRules: Sendable {
  /// What a limit is measured in; values are in SI units, and shown in these.
  package enum Unit: String, Sendable {
    case degrees = "deg", metres = "m", seconds = "s", percent = "%", hertz = "Hz", power = "dBm", number = ""
    /// Shown value over the value in SI units.
    package var scale: Double {
      switch self {
      case .degrees: 180 / .pi
      case .percent: 100
      default: 1
      }
    }
  }

  /// What a failed limit withholds.
  package enum Withheld: String, Sendable {
    case all = "angle, direction, height class, position"
    case direction, heightClass = "height class", position, converged
    case nothing = "nothing by itself"
  }

  /// A limit.
  package struct Limit: Equatable, Sendable {
    /// What is measured, a few words.
    package let name: String
    /// The limit in SI units, or a ratio.
    package let value: Double
    package let unit: Unit
    /// Whether more is too much; else less is too little.
    package let isUpper: Bool
    package let withholds: Withheld
    /// The settings that it comes from.
    package let settings: [String]

    fileprivate init(
      _ name: String, _ value: Double, _ unit: Unit, isUpper: Bool = true, _ withholds: Withheld, _ settings: String...
    ) {
      (self.name, self.value, self.unit, self.isUpper) = (name, value, unit, isUpper)
      (self.withholds, self.settings) = (withholds, settings)
    }

    /// Whether a value in SI units is within the limit.
    @inline(__always) package func isMet(by found: Double) -> Bool { isUpper ? found <= value : found >= value }
  }

  // Of the angle, and with it of all that rests on it.
  let beyond45, contradiction, angleHalfWidth: Limit
  // Of the other outputs.
  let cone, steadyCone, beyond20: Limit
  // Of a whole link, of the camera and of the signal.
  let refuted, openPremise, features, imageAge, luma, contradictoryRanges, silence, rate, losFraction, aoaProbability,
    power: Limit
  /// 1-sigma of the direction's best known axis, a sine, at which one axis counts as observed.
  let observedAxis: Limit
  /// Settings that are no limits of a measured value.
  let configuration: FinderConfiguration

  package init(_ configuration: FinderConfiguration) {
    self.configuration = configuration
    let (far, rivals) = (configuration.maxProbabilityBeyond45Degrees, configuration.maxProbabilityBeyond20Degrees)
    beyond45 = Limit("posterior over 45 deg away", far, .percent, .all, "maxProbabilityBeyond45Degrees")
    contradiction = Limit(
      "probability that the ranges contradict it", far, .percent, .all, "maxProbabilityBeyond45Degrees")
    angleHalfWidth = Limit(
      "90 % half-width of the angle", Angle.degrees(configuration.angleHalfWidthDegrees), .degrees, .all,
      "angleHalfWidthDegrees")
    let widest = Angle.degrees(configuration.directionConeDegrees)
    cone = Limit("90 % cone of the direction", widest, .degrees, .direction, "directionConeDegrees")
    steadyCone = Limit(
      "90 % cone of a direction that appears", 0.9 * widest, .degrees, .direction, "directionConeDegrees")
    beyond20 = Limit("posterior over 20 deg away", rivals, .percent, .converged, "maxProbabilityBeyond20Degrees")
    refuted = Limit("premises that are refuted", 0, .number, .all, "watchesPremises")
    openPremise = Limit("premises that evidence speaks against", 0, .number, .all, "watchesPremises")
    features = Limit(
      "features in the image", Double(configuration.fewFeatures), .number, isUpper: false, .all, "fewFeatures")
    imageAge = Limit("since the newest image", configuration.darkDelay, .seconds, .all, "darkDelay")
    luma = Limit("mean luma of the image", configuration.darkLuma, .percent, isUpper: false, .all, "darkLuma")
    contradictoryRanges = Limit(
      "ranges of 3 s that are farther from the newest than hands move", 1.0 / 3, .percent, .nothing)
    silence = Limit("since the last new range", configuration.rangeTimeout, .seconds, .nothing, "rangeTimeout")
    rate = Limit("ranges a second", 2, .hertz, isUpper: false, .nothing)
    losFraction = Limit("recent line-of-sight probability", 0.2, .percent, isUpper: false, .nothing)
    aoaProbability = Limit(
      "probability that its angles of arrival are inconsistent", configuration.maxProbabilityBeyondPositionLimit,
      .percent, .nothing, "maxProbabilityBeyondPositionLimit", "aoaInvalidPrior")
    power = Limit("received power", configuration.weakPower, .power, isUpper: false, .nothing, "weakPower")
    observedAxis = Limit(
      "1-sigma of the best known axis, a sine", configuration.directionSineSigmaLimit, .number, .all,
      "directionSineSigmaLimit")
  }

  /// Smallest horizontal distance with an azimuth, metres.
  static let nearest = 0.5

  /// The least mean horizontal distance, which has this 1-sigma, metres.
  func horizontalDistance(sigma: Double) -> Limit {
    Limit("horizontal distance", max(Self.nearest, 2 * sigma), .metres, isUpper: false, .all)
  }

  /// The least probability of the likeliest height class: one that is named stays until it falls below the lower limit.
  func level(isNamed: Bool) -> Limit {
    Limit(
      "likeliest height class", isNamed ? configuration.verticalDrop : configuration.verticalDecision, .percent,
      isUpper: false, .heightClass, "verticalDecision", "verticalDrop")
  }

  /// The largest 1-sigma of a position at a distance, metres.
  func positionSigma(at distance: Double) -> Limit {
    Limit("1-sigma of the position", max(0.3, 0.15 * distance), .metres, .position)
  }

  /// The largest error of a position at a distance, metres: `max(positionLimit, positionLimitShare distance)`.
  func positionError(at distance: Double) -> Double {
    max(configuration.positionLimit, configuration.positionLimitShare * distance)
  }

  /// The largest probability of an error beyond that.
  func position(at distance: Double) -> Limit {
    Limit(
      String(format: "posterior over %.1f m off", positionError(at: distance)),
      configuration.maxProbabilityBeyondPositionLimit, .percent, .position,
      "positionLimit", "positionLimitShare", "maxProbabilityBeyondPositionLimit")
  }

  /// The largest probability of motion. It withholds through where the peer may have gone, which has limits of its own.
  var moving: Limit {
    Limit("probability that it moves", beyond45.value, .percent, .all, "maxProbabilityBeyond45Degrees")
  }

  /// How far a distance may be from the ranges of the last second, metres (`RadioAgreement`).
  func agreement(allowed: Double) -> Limit {
    Limit("distance beside the last second's ranges", allowed, .metres, .all)
  }

  /// The limits as rows of a table: what is measured, the limit, what it withholds, settings.
  package var table: [[String]] {
    let all = [
      horizontalDistance(sigma: 0), beyond45, contradiction, angleHalfWidth, cone, steadyCone, level(isNamed: false),
      level(isNamed: true), positionSigma(at: 0), position(at: 0), beyond20, refuted, openPremise, features, imageAge,
      luma, contradictoryRanges,
      silence, rate, losFraction, aoaProbability, power,
    ]
    return all.map { limit in
      let shown = String(format: "%.5g", limit.value * limit.unit.scale)
      return [
        limit.name, "\(limit.isUpper ? "at most" : "at least") \(shown) \(limit.unit.rawValue)".trimmed,
        limit.withholds.rawValue, limit.settings.map { "`\($0)`" }.joined(separator: ", "),
      ]
    }
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

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

/// A limit of `PublicationRules` with what was found.
package struct PublicationGate: Equatable, Sendable {
  /// The outcome of a gate.
  package enum Outcome: String, Sendable {
    case passed, failed
    /// It could not be evaluated, or does not count yet: `note` gives the reason.
    case notAsked
  }

  /// The limit.
  package let rule: PublicationRules.Limit
  /// The outcome.
  package private(set) var outcome: Outcome
  /// Why it was not evaluated, or what failed; nil where there is nothing to add.
  package private(set) var note: String?
  /// In SI units; nil where it was not evaluated.
  private var found: Double?

  /// The limit asked of a value, in SI units.
  init(_ rule: PublicationRules.Limit, _ found: Double, note: String? = nil) {
    (self.rule, self.found, self.note) = (rule, found, note)
    outcome = rule.isMet(by: found) ? .passed : .failed
  }

  /// The measured quantity, a few words.
  package var name: String { rule.name }
  /// The value, in `unit`; nil where it was not evaluated.
  package var value: Double? { found.map { $0 * rule.unit.scale } }
  /// The limit, in `unit`.
  package var limit: Double { rule.value * rule.unit.scale }
  /// True when the value must be at most the limit, false when at least.
  package var isUpperLimit: Bool { rule.isUpper }
  /// `deg`, `m`, `s`, `%`, `Hz`, `dBm` or empty.
  package var unit: String { rule.unit.rawValue }
  /// The outputs that it withholds when it fails, in words.
  package var withholds: String { rule.withholds.rawValue }

  /// The same gate, not counted.
  func notAsked(_ note: String, keepsValue: Bool = false) -> PublicationGate {
    var gate = self
    gate.outcome = .notAsked
    gate.note = note
    if !keepsValue { gate.found = nil }
    return gate
  }
}
