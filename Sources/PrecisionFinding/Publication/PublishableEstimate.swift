import Foundation
import Geometry
import SensorData

/// The outputs that a posterior supports, each evaluated on its own by `PublicationRules`.
package struct PublishableEstimate {
  /// Why there is no horizontal angle.
  package enum NoAngle: String {
    /// The 90 % interval is too wide.
    case wide
    /// Too much probability lies elsewhere: an ambiguity is left.
    case ambiguous = "mirror"
    /// The latest ranges contradict the posterior: the peer may be anywhere.
    case contradicted
    /// The peer is too close horizontally for an azimuth.
    case near
  }

  package let distance: (mean: Double, sigma: Double)
  package let angle: NearbyObject.AngleEstimate?
  package let noAngle: NoAngle?
  /// Probability over 20 degrees away: from the angle, or from the direction as a whole.
  package let probabilityBeyond20Degrees: Double
  /// Unit vector in device axes.
  package let direction: Vector3?
  /// Half-angle of the cone about it that holds 90 %, radians.
  package let cone: Double
  package let vertical: (above: Double, below: Double, same: Double)
  /// The peer's mean position in the estimate's world, metres, and its covariance there, m^2.
  package let position: (mean: Vector3, covariance: Matrix3)
  /// Probability that the position errs by more than a published one may; nil where the spread is too wide anyhow.
  package let positionFarOff: Double?
  /// True when the position is good enough to be published.
  package let positionIsGood: Bool
  /// 1-sigma of the direction's best known axis, a sine: near 0.5 when nothing is known.
  package let bestAxis: Double
  /// Whether the position is spread wider sideways than upwards, as seen from the device.
  package let isWidestSideways: Bool
  /// Progress of the missing motion, 0...1: towards an angle, or where there is one towards a position.
  package let progress: Double
  /// Progress of each condition of a position beside the angle, 0...1.
  package let towards: (level: Double, probabilityBeyond20Degrees: Double, position: Double)

  /// - Parameter worldCovariance: of the peer's position in the estimate's world, the trajectory's own error included.
  package init(_ view: PosteriorView, worldCovariance: Matrix3, _ rules: PublicationRules) {
    let configuration = rules.configuration
    distance = view.distance
    let marginal = view.horizontalAngle
    let towardsAngle: Double
    (angle, noAngle, towardsAngle) = Self.angle(marginal, view, rules)

    let mean: Vector3
    (mean, cone) = view.direction
    let elsewhere = max(marginal.mass(beyond: .pi / 9), view.probability(beyond: .pi / 9, of: mean))
    probabilityBeyond20Degrees = elsewhere + (1 - elsewhere) * view.contradictionProbability
    let inDevice = view.worldFromDevice.rotation.inverse * mean
    direction = rules.cone.isMet(by: cone) ? inDevice : nil
    vertical = view.verticalProbabilities(
      height: configuration.sameLevelHeight, elevation: Angle.degrees(configuration.sameLevelElevationDegrees))
    let relative = view.position
    position = (relative.mean, worldCovariance)
    let (across, up) = PosteriorMode.axes(mean)
    isWidestSideways = relative.covariance.form(across, across) > relative.covariance.form(up, up)
    let sigma = worldCovariance.trace.squareRoot()
    // Asked only where the spread passes, and of what the spread leaves out.
    let widest = rules.positionSigma(at: distance.mean)
    let isNarrow = widest.isMet(by: sigma)
    positionFarOff =
      isNarrow
      ? view.probability(
        beyond: rules.positionError(at: distance.mean), ofMeanWith: worldCovariance - relative.covariance) : nil
    let farthest = rules.position(at: distance.mean)
    positionIsGood = isNarrow && farthest.isMet(by: positionFarOff!)
    bestAxis = max(view.directionScatter.smallestEigenvalue, 0).squareRoot()
    let level = max(vertical.above, vertical.below, vertical.same)
    towards = (
      Self.progress(1 - level, to: 1 - rules.level(isNamed: false).value),
      Self.progress(probabilityBeyond20Degrees, to: rules.beyond20.value),
      min(
        widest.value / max(sigma, 1e-9),
        positionFarOff.map { Self.progress($0, to: farthest.value) } ?? 1, 1)
    )
    progress =
      angle != nil
      ? min(towards.level, towards.probabilityBeyond20Degrees, towards.position)
      : rules.observedAxis.isMet(by: bestAxis)
        ? towardsAngle : Self.progress(bestAxis, to: rules.observedAxis.value)
  }

  /// Progress of a value from a half down to `limit`, on a logarithmic scale, 0...1.
  private static func progress(_ value: Double, to limit: Double) -> Double {
    guard value > limit else { return 1 }
    return max(log(0.5 / value) / log(0.5 / max(limit, 1e-12)), 0)
  }

  private static func angle(
    _ marginal: AngleMarginal, _ view: PosteriorView, _ rules: PublicationRules
  ) -> (NearbyObject.AngleEstimate?, NoAngle?, progress: Double) {
    // A peer that is surely too near needs no sweep, in whichever direction it is.
    let horizontal = view.horizontalDistance
    let nearest = rules.horizontalDistance(sigma: horizontal.sigma)
    let nearness = min(horizontal.mean / nearest.value, 1)
    if horizontal.mean + 2 * horizontal.sigma < PublicationRules.nearest { return (nil, .near, nearness) }
    // Half the posterior elsewhere needs no quantiles.
    let centers = marginal.centers(beyond: .pi / 4)
    if centers > 2 * rules.beyond45.value + 0.05 {
      return (nil, .ambiguous, progress(centers, to: rules.beyond45.value))
    }
    let elsewhere = marginal.mass(beyond: .pi / 4)
    guard rules.beyond45.isMet(by: elsewhere) else {
      return (nil, .ambiguous, progress(elsewhere, to: rules.beyond45.value))
    }
    guard rules.contradiction.isMet(by: view.contradictionProbability) else { return (nil, .contradicted, 0) }
    let low = marginal.quantile(0.05)
    let high = marginal.quantile(0.95)
    guard rules.angleHalfWidth.isMet(by: 0.5 * (high - low)) else {
      return (nil, .wide, 2 * rules.angleHalfWidth.value / (high - low))
    }
    guard nearest.isMet(by: horizontal.mean) else { return (nil, .near, nearness) }
    let value = Angle.wrapped(marginal.mean)
    let start = Angle.wrapped(value + low)
    return (
      NearbyObject.AngleEstimate(
        value: value, standardDeviation: marginal.standardDeviation, low: start, high: start + (high - low)), nil, 1
    )
  }
}

/// An obstacle to an output, or a cause that degrades it: finer than Nearby Interaction's five reasons, in order of
/// importance.
public enum PublicationObstacle: String, Sendable, CaseIterable {
  /// The camera has too few features: no light.
  case dark
  /// ... the lens is covered.
  case covered
  /// ... the device moves too fast for the exposure.
  case excessiveMotion
  /// ... the view has little detail.
  case fewFeatures
  /// No frames come.
  case cameraUnavailable
  /// There is no trajectory.
  case noTrajectory
  /// Evidence speaks against a premise of the set-up, not enough to refute it: no direction rests on it yet.
  case premiseOpen
  /// The latest ranges contradict the posterior.
  case contradicted
  /// The latest ranges contradict each other: they are farther apart than a hand and a peer move.
  case rangesContradict
  /// The peer is too close horizontally for an azimuth.
  case near
  /// No axis of its direction is observed.
  case unexplored
  /// An ambiguity is left: the peer may be at a reflection image.
  case ambiguous
  /// Its direction is known, but not well enough.
  case wide
  /// Its vertical class is not decided.
  case heightUndecided
  /// Its position is not known well enough.
  case positionTooWide = "placeTooWide"
  /// Competing modes: too much probability lies over 20 degrees away from what is published.
  case competingModes = "rivals"
  /// It is moving, more likely than not.
  case peerMoving
  /// Its angles of arrival are inconsistent with its ranges: they are not used.
  case aoaInconsistent = "anglesAstray"
  /// No range has come for a second.
  case stale
  /// The radio repeats its last range.
  case repeated
  /// Fewer than two ranges a second come.
  case weakRate
  /// Their received power is low.
  case weakPower
  /// The line of sight has been blocked for long (NLOS).
  case nonLineOfSight = "blockedSight"

  /// What the user should do, one plain sentence, where that is more than the reason's guidance: what the camera lacks,
  /// a radio to be restarted. Nil: the reason's guidance applies.
  public var guidance: String? {
    switch self {
    case .dark: Convergence.Reason.insufficientLighting.guidance
    case .covered: "Uncover the camera."
    case .excessiveMotion: "Move more slowly: the picture is blurred."
    case .fewFeatures: "Point the camera at something with more detail."
    case .cameraUnavailable: "The camera gives no pictures: see that it is on."
    case .repeated: "The radio repeats its last range: restart it."
    default: nil
    }
  }

  /// The one of Nearby Interaction's reasons that reports it; nil for none. A moving peer is reported by the obstacles
  /// it leaves, and without a trajectory there is nothing to evaluate.
  ///
  /// A near peer, or one right above or below, asks for movement: the azimuth returns with the distance, no sweep on
  /// the spot gives it.
  public var reason: Convergence.Reason? {
    switch self {
    case .dark, .covered, .excessiveMotion, .fewFeatures, .cameraUnavailable: .insufficientLighting
    case .premiseOpen, .near, .unexplored: .insufficientMovement
    case .contradicted, .ambiguous, .wide: .insufficientHorizontalSweep
    case .heightUndecided, .positionTooWide, .competingModes: .insufficientVerticalSweep
    case .rangesContradict, .stale, .repeated, .weakRate, .weakPower, .nonLineOfSight: .insufficientSignalStrength
    case .noTrajectory, .peerMoving, .aoaInconsistent: nil
    }
  }
}

/// State of a peer's outputs between updates: hysteresis against chatter.
struct OutputHysteresis {
  var vertical: VerticalLevelHysteresis
  /// Received power of the ranges so far.
  var power: SignalPowerMonitor
  /// The last update had a direction.
  private var hasDirection = false

  init(_ rules: PublicationRules) {
    vertical = VerticalLevelHysteresis(
      decide: rules.level(isNamed: false).value, drop: rules.level(isNamed: true).value)
    power = SignalPowerMonitor(limit: rules.power.value)
  }

  /// Passes a new direction only once its cone is a tenth narrower than the limit, so that it does not come and go.
  ///
  /// - Parameters:
  ///   - direction: unit vector in device axes; nil where it is too wide.
  ///   - cone: half-angle about it that holds 90 %, radians.
  mutating func steady(_ direction: Vector3?, cone: Double, _ rules: PublicationRules) -> Vector3? {
    hasDirection = direction != nil && (hasDirection || rules.steadyCone.isMet(by: cone))
    return hasDirection ? direction : nil
  }
}

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

/// Monitors whether the received power of a link is near the receiver's limit: a pure state machine over the reported
/// powers.
package struct SignalPowerMonitor {
  /// Time constant of the smoothing, seconds.
  private static let memory = 2.0
  /// A weak link stays weak until its power is this much above the limit, dB.
  private static let margin = 3.0

  /// dBm.
  private let limit: Double
  private var newest: Timestamp?
  /// Smoothed, dBm; nil while the radio has reported none.
  package private(set) var power: Double?
  /// Whether the power is too low. A radio that reports no power is never weak by it.
  package private(set) var isWeak = false

  /// - Parameter limit: power below which a link is weak, dBm.
  package init(limit: Double) { self.limit = limit }

  /// Updates with the first path's power, which a distance rests on, else the total power; ignores ranges without
  /// either.
  package mutating func update(_ range: RangeMeasurement) {
    guard let reported = range.firstPathPower ?? range.rssi else { return }
    let seconds = newest.map { max(range.timestamp.seconds(since: $0), 0) } ?? 0
    newest = range.timestamp
    let smoothed = power.map { $0 - expm1(-seconds / Self.memory) * (reported - $0) } ?? reported
    power = smoothed
    isWeak = smoothed < limit + (isWeak ? Self.margin : 0)
  }
}
