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

/// The expected result of a motion.
package enum Forecast: Equatable, Sendable {
  /// Seconds until the goal is reached: no finer than the steps, for it is an expectation over unknowns.
  case seconds(Double)
  /// The goal is reached, but not within the last of the steps.
  case tooLong
  /// This motion alone never reaches the goal.
  case notReached(Obstacle)
  /// Noise or rate of the ranges are not known yet.
  case unknown

  /// The remaining obstacle.
  package enum Obstacle: Equatable, Sendable {
    /// Another mode lies in the same direction along this motion.
    case competingMode
    /// Known sideways to `sigma`, `limit` is needed, radians.
    case sideways(sigma: Double, limit: Double)
    /// Known upwards to `sigma`, `limit` is needed, radians.
    case upwards(sigma: Double, limit: Double)
    /// The distance alone, or the trajectory's own error, uses up the error budget of the position.
    case distance
    /// The ranges contradict the posterior.
    case contradiction
  }

  /// The possible times, seconds.
  package static let steps = [1.0, 2, 3, 5, 10, 15, 20, 30]

  /// Order of preference.
  var rank: Double {
    switch self {
    case .seconds(let seconds): seconds
    case .tooLong: 1e3
    case .unknown: 1e4
    case .notReached: 1e5
    }
  }
}

/// A candidate motion of the hand and its expected time to the goal: half a metre from end to end, a stroke a second.
package struct CandidateMotion: Equatable, Sendable {
  /// Length from end to end, metres, and frequency, Hz.
  static let stroke = 0.5, frequency = 0.5

  /// The kind of motion.
  package enum Kind: String, Sendable, CaseIterable {
    case sideways, upAndDown, forwardsAndBack, sidewaysAndUp, around

    /// Unit vectors of the motion, world.
    func axes(worldFromDevice: Pose) -> [Vector3] {
      let azimuth = HorizontalAngle.aheadAzimuth(worldFromDevice: worldFromDevice.rotation)
      let ahead = Vector3(cos(azimuth), sin(azimuth), 0)
      let (right, up) = (Vector3(ahead.y, -ahead.x, 0), Vector3(0, 0, 1))
      return switch self {
      case .sideways: [right]
      case .upAndDown: [up]
      case .forwardsAndBack: [ahead]
      case .sidewaysAndUp: [right, up]
      case .around: [right, ahead]
      }
    }
  }

  /// The kind.
  package let kind: Kind
  /// Difference in range between the two likeliest modes after a metre of it, metres; nil where one mode is left.
  package let separation: Double?
  /// Expected time to the goal.
  package let timeToGoal: Forecast

  init(_ kind: Kind, _ forecast: ExcitationForecast, worldFromDevice: Pose) {
    self.kind = kind
    let axes = kind.axes(worldFromDevice: worldFromDevice)
    let modes = forecast.modes
    separation =
      modes.count > 1
      ? axes.reduce(0) { sum, axis in
        let along = (modes[0].direction - modes[1].direction).dot(axis)
        return sum + along * along
      }.squareRoot() : nil
    timeToGoal = forecast.timeToGoal(along: axes)
  }

  /// The requested motion, where there is one, and a motion that is expected to reach the goal sooner, where there is
  /// one.
  package static func choices(
    asked reason: Convergence.Reason?, _ forecast: ExcitationForecast, worldFromDevice: Pose
  ) -> (asked: CandidateMotion?, better: CandidateMotion?) {
    let asked = reason.flatMap(Kind.init).map { CandidateMotion($0, forecast, worldFromDevice: worldFromDevice) }
    guard let asked else { return (nil, nil) }
    let all = Kind.allCases.map { CandidateMotion($0, forecast, worldFromDevice: worldFromDevice) }
    // The first of equals: the plainest.
    let best = all.min { $0.timeToGoal.rank < $1.timeToGoal.rank }!
    return (asked, best.timeToGoal.rank < asked.timeToGoal.rank ? best : nil)
  }

  /// Fisher information about a sine of direction that a second of sweeping gathers, 1/s: the power of the sweep over
  /// the noise's density at its frequency, `a^2 / (sigma^2 / f + 2 T s^2 / (1 + (omega T)^2))`. A matched filter in
  /// white noise sigma at f ranges a second and Gauss-Markov noise s with memory T. Signals slower than T would have
  /// 1/(2 T) independent ranges a second; a faster sweep keeps more. Moving shortens the memory: `1/T = 1/tau +
  /// speed/length`.
  ///
  /// Source: Van Trees, "Detection, estimation, and modulation theory" I, 1968, 4.3.
  package static func information(_ noise: RangeNoise?, rate: Double) -> Double? {
    guard let noise, rate > 0 else { return nil }
    let omega = 2 * Double.pi * frequency
    let speed = 2 * stroke * frequency
    let memory = 1 / (1 / noise.correlationTime + speed / noise.correlationLength)
    let density =
      noise.white * noise.white / rate
      + 2 * memory * noise.coloured * noise.coloured / (1 + omega * omega * memory * memory)
    guard density > 0 else { return nil }
    return stroke * stroke / 8 / density
  }
}

extension CandidateMotion.Kind {
  /// The motion that a reason requests; nil where no motion helps.
  init?(_ reason: Convergence.Reason) {
    switch reason {
    case .insufficientMovement: self = .around
    case .insufficientHorizontalSweep: self = .sideways
    case .insufficientVerticalSweep: self = .upAndDown
    case .insufficientLighting, .insufficientSignalStrength: return nil
    }
  }
}
