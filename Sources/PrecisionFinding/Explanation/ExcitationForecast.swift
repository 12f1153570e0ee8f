import Foundation
import Geometry
import LeastSquares
import Ranging

/// Forecast of the information that a motion adds, and of the time until the goal is reached.
///
/// Each mode in turn is taken for the true one. A sweep along `a` gathers information `J (a . e)^2 t` about the
/// direction along `e`. The mode narrows to `1/sigma^2 = 1/sigma_0^2 + J t (a . e)^2`. Another mode k, `delta` away
/// along `a` and `s` wide there, loses the log odds `delta^2 / (1/(J t) + s^2) / 2`. The goal sets the limits on width
/// and probability.
package struct ExcitationForecast {
  /// The goal of a motion.
  package enum Goal: Equatable, Sendable {
    /// A horizontal angle.
    case angle
    /// Convergence.
    case convergence
  }

  /// Likeliest first.
  package let modes: [PosteriorMode]
  /// The goal.
  package let goal: Goal
  /// Information about a sine of direction from a second of sweeping, 1/s; nil where it is not known.
  package let information: Double?
  /// Probability that the ranges contradict the posterior.
  package let contradictionProbability: Double
  /// Variance of a position that no sweep reduces: the distance's and the trajectory's own, m^2.
  package let fixedVariance: Double
  private let rules: PublicationRules
  /// Number of sigmas that leave the allowed probability outside: of an interval, over 45 degrees away, over 20 degrees
  /// away, beyond a level.
  private let intervalSigmas, beyond45Sigmas, beyond20Sigmas, positionSigmas, levelSigmas: Double

  package init(
    modes: [PosteriorMode], goal: Goal, information: Double?, contradictionProbability: Double = 0,
    fixedVariance: Double = 0,
    _ rules: PublicationRules
  ) {
    self.modes = modes
    self.goal = goal
    self.information = information
    self.contradictionProbability = contradictionProbability
    self.fixedVariance = fixedVariance
    self.rules = rules
    intervalSigmas = Self.sigmas(leaving: 0.1)
    beyond45Sigmas = Self.sigmas(leaving: rules.beyond45.value)
    beyond20Sigmas = Self.sigmas(leaving: rules.beyond20.value)
    positionSigmas = Self.sigmas(leaving: rules.configuration.maxProbabilityBeyondPositionLimit)
    levelSigmas = Self.sigmas(leaving: 2 * (1 - rules.level(isNamed: false).value))
  }

  /// Expected time of motion along some axes: the first step at which half the posterior, each mode taken for true,
  /// reaches the goal.
  package func timeToGoal(along axes: [Vector3]) -> Forecast {
    guard let information, let first = modes.first else { return .unknown }
    guard contradictionProbability <= rules.beyond45.value else {
      return .notReached(.contradiction)
    }
    let whole = modes.reduce(0) { $0 + $1.probability }
    for seconds in Forecast.steps {
      let through = modes.filter { obstacle(to: $0, axes, information * seconds) == nil }
      if through.reduce(0, { $0 + $1.probability }) >= 0.5 * whole { return .seconds(seconds) }
    }
    // After unlimited time: the obstacle that no time removes.
    let ever = modes.first { obstacle(to: $0, axes, 1e12) != nil } ?? first
    let unreached = modes.filter { obstacle(to: $0, axes, 1e12) != nil }.reduce(0) { $0 + $1.probability }
    guard unreached > 0.5 * whole, let left = obstacle(to: ever, axes, 1e12) else { return .tooLong }
    return .notReached(left)
  }

  /// The obstacle between a mode, if it is true, and the goal after `gathered` = J t; nil: none.
  private func obstacle(to mode: PosteriorMode, _ axes: [Vector3], _ gathered: Double) -> Forecast.Obstacle? {
    for (far, limit) in massLimits {
      let left = modes.reduce(0) { $0 + odds(of: $1, beside: mode, axes, gathered, far) }
      if left > limit { return .competingMode }
    }
    let (across, up) = PosteriorMode.axes(mode.direction)
    let (sideways, upwards) = (
      Self.narrowed(mode.sideways, across, axes, gathered), Self.narrowed(mode.upwards, up, axes, gathered)
    )
    let limits = self.limits(of: mode)
    if sideways > limits.sideways { return .sideways(sigma: sideways, limit: limits.sideways) }
    if upwards > limits.upwards { return .upwards(sigma: upwards, limit: limits.upwards) }
    guard goal == .convergence else { return nil }
    // The remaining error budget of a position, for both axes together.
    let may = max(0.3, 0.15 * mode.distance)
    let rest = (may * may - fixedVariance) / (mode.distance * mode.distance)
    guard rest > 0 else { return .distance }
    guard sideways * sideways + upwards * upwards > rest else { return nil }
    return sideways > upwards
      ? .sideways(sigma: sideways, limit: max(rest - upwards * upwards, 0).squareRoot())
      : .upwards(sigma: upwards, limit: max(rest - sideways * sideways, 0).squareRoot())
  }

  /// Limits on the probability beyond an angle: the angle, radians, and the probability.
  private var massLimits: [(far: Double, probability: Double)] {
    goal == .convergence
      ? [(.pi / 9, rules.beyond20.value)]
      : [
        (rules.angleHalfWidth.value, 0.1),
        (.pi / 4, rules.beyond45.value),
      ]
  }

  /// Odds of another mode against the true one by then; 0 for one that is not competing.
  private func odds(
    of competing: PosteriorMode, beside mode: PosteriorMode, _ axes: [Vector3], _ gathered: Double, _ far: Double
  ) -> Double {
    guard competing != mode, isCompeting(competing, with: mode, axes, far) else { return 0 }
    let ratio = axes.reduce(0) { sum, axis in
      let (off, width) = ((mode.direction - competing.direction).dot(axis), competing.width(along: axis))
      return sum + off * off / (1 / gathered + width * width) / 2
    }
    // The log likelihood ratio has a variance of twice its mean: in five of six cases it is at least this.
    return competing.probability / mode.probability * min(exp((2 * ratio).squareRoot() - ratio), 1)
  }

  /// Whether a mode is far enough to withhold the goal even once both agree along the axes. A wide mode that does not
  /// is merely narrowed.
  private func isCompeting(
    _ competing: PosteriorMode, with mode: PosteriorMode, _ axes: [Vector3], _ far: Double
  ) -> Bool {
    let apart = mode.direction - competing.direction
    var chord = 2 * sin(far / 2)
    if goal == .angle {
      guard abs(Angle.wrapped(competing.horizontalAngle - mode.horizontalAngle)) > far else { return false }
      chord *= cos(mode.elevation)
    } else if apart.norm <= chord {
      return false
    }
    var left = axes.reduce(apart) { $0 - $0.dot($1) * $1 }
    // Above and below have one azimuth.
    if goal == .angle { left.z = 0 }
    return left.norm > chord
      || axes.contains { abs(apart.dot($0)) > 3 * (mode.width(along: $0) + competing.width(along: $0)) }
  }

  /// Largest 1-sigma of a mode at the goal, radians.
  private func limits(of mode: PosteriorMode) -> (sideways: Double, upwards: Double) {
    // An azimuth is wider than the sine across by this.
    let flat = max(cos(mode.elevation), 0.05)
    guard goal == .convergence else {
      let half = rules.angleHalfWidth.value / intervalSigmas
      return (flat * min(half, .pi / 4 / beyond45Sigmas), .infinity)
    }
    let far = min(
      .pi / 9 / beyond20Sigmas, rules.positionError(at: mode.distance) / max(mode.distance, 0.1) / positionSigmas)
    // The border of "on the same level", and the likely distance of the mode from it.
    let border = max(
      asin(min(rules.configuration.sameLevelHeight / max(mode.distance, 0.1), 1)),
      Angle.degrees(rules.configuration.sameLevelElevationDegrees))
    let margin = max(abs(abs(mode.elevation) - border), 0.67 * mode.upwards)
    return (min(far, flat * .pi / 9 / beyond20Sigmas), min(far, margin / levelSigmas))
  }

  private static func narrowed(_ sigma: Double, _ axis: Vector3, _ axes: [Vector3], _ gathered: Double) -> Double {
    let power = axes.reduce(0) { $0 + $1.dot(axis) * $1.dot(axis) }
    return 1 / (1 / max(sigma * sigma, 1e-12) + gathered * power).squareRoot()
  }

  /// Number of sigmas that leave a probability outside, both sides together.
  static func sigmas(leaving probability: Double) -> Double {
    var (low, high) = (0.0, 10.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if 2 * NormalDistribution.cumulative(-middle) > probability { low = middle } else { high = middle }
    }
    return high
  }
}
