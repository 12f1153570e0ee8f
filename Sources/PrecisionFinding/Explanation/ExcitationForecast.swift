import Foundation
import Geometry
import Ranging

/// What is missing at a moment, and what a motion would add to it.
///
/// Each place in its turn is taken for the true one. A sweep along `a` gathers information `J (a . e)^2 t` about the direction along `e`:
/// the place narrows to `1/sigma^2 = 1/sigma_0^2 + J t (a . e)^2`, and another place k, `delta` away along `a` and `s` wide there, loses
/// the log-odds `delta^2 / (1/(J t) + s^2) / 2`. The gates ask how narrow, and how improbable.
package struct ExcitationForecast {
  /// What is to be reached.
  package enum Goal: Equatable, Sendable {
    /// A horizontal angle.
    case angle
    /// Everything.
    case convergence
  }

  /// Likeliest first.
  package let places: [Place]
  /// What is to be reached.
  package let goal: Goal
  /// What a second of sweeping tells of a sine of direction, 1/s; nil where it is not known.
  package let information: Double?
  /// Probability that all this is wrong.
  package let doubt: Double
  /// Variance of a position that no sweep takes away: the distance's and the trajectory's own, m^2.
  package let given: Double
  private let configuration: FinderConfiguration
  /// How many sigma leave as much outside as the gates allow: of an interval, far from an angle, far from a place, beyond a level.
  private let interval, mirror, rival, level: Double

  package init(
    places: [Place], goal: Goal, information: Double?, doubt: Double = 0, given: Double = 0,
    _ configuration: FinderConfiguration
  ) {
    self.places = places
    self.goal = goal
    self.information = information
    self.doubt = doubt
    self.given = given
    self.configuration = configuration
    interval = Self.sigmas(leaving: 0.1)
    mirror = Self.sigmas(leaving: configuration.maxProbabilityBeyond45Degrees)
    rival = Self.sigmas(leaving: configuration.maxProbabilityBeyond20Degrees)
    level = Self.sigmas(leaving: 2 * (1 - configuration.verticalDecision))
  }

  /// What motion along some axes is expected to bring: the first step at which half the posterior, each place taken for the truth, would
  /// be through.
  package func prospect(along axes: [Vector3]) -> Forecast {
    guard let information, let first = places.first else { return .unknown }
    guard doubt <= configuration.maxProbabilityBeyond45Degrees else { return .notReached(.doubt) }
    let whole = places.reduce(0) { $0 + $1.share }
    for seconds in Forecast.steps {
      let through = places.filter { obstacle(to: $0, axes, information * seconds) == nil }
      if through.reduce(0, { $0 + $1.share }) >= 0.5 * whole { return .seconds(seconds) }
    }
    // Ever so long: what is left then no time takes away.
    let ever = places.first { obstacle(to: $0, axes, 1e12) != nil } ?? first
    let blocked = places.filter { obstacle(to: $0, axes, 1e12) != nil }.reduce(0) { $0 + $1.share }
    guard blocked > 0.5 * whole, let left = obstacle(to: ever, axes, 1e12) else { return .tooLong }
    return .notReached(left)
  }

  /// What still stands between a place, if it is the true one, and the goal after `gathered` = J t; nil: nothing.
  private func obstacle(to place: Place, _ axes: [Vector3], _ gathered: Double) -> Forecast.Obstacle? {
    for (far, limit) in asked {
      let left = places.reduce(0) { $0 + odds(of: $1, beside: place, axes, gathered, far) }
      if left > limit { return .rival }
    }
    let (across, up) = Place.axes(place.direction)
    let (sideways, upwards) = (
      Self.narrowed(place.sideways, across, axes, gathered), Self.narrowed(place.upwards, up, axes, gathered)
    )
    let limits = self.limits(of: place)
    if sideways > limits.sideways { return .sideways(sigma: sideways, limit: limits.sideways) }
    if upwards > limits.upwards { return .upwards(sigma: upwards, limit: limits.upwards) }
    guard goal == .convergence else { return nil }
    // The rest of what a position may err, for both axes together.
    let may = max(0.3, 0.15 * place.distance)
    let rest = (may * may - given) / (place.distance * place.distance)
    guard rest > 0 else { return .distance }
    guard sideways * sideways + upwards * upwards > rest else { return nil }
    return sideways > upwards
      ? .sideways(sigma: sideways, limit: max(rest - upwards * upwards, 0).squareRoot())
      : .upwards(sigma: upwards, limit: max(rest - sideways * sideways, 0).squareRoot())
  }

  /// Beyond which angles, radians, which share of the posterior may lie.
  private var asked: [(far: Double, share: Double)] {
    goal == .convergence
      ? [(.pi / 9, configuration.maxProbabilityBeyond20Degrees)]
      : [(Angle.degrees(configuration.angleHalfWidthDegrees), 0.1), (.pi / 4, configuration.maxProbabilityBeyond45Degrees)]
  }

  /// Odds of another place beside the true one by then; 0 for one that is no rival.
  private func odds(
    of rival: Place, beside place: Place, _ axes: [Vector3], _ gathered: Double, _ far: Double
  ) -> Double {
    guard rival != place, isRival(rival, of: place, axes, far) else { return 0 }
    let told = axes.reduce(0) { sum, axis in
      let (off, width) = ((place.direction - rival.direction).dot(axis), rival.width(along: axis))
      return sum + off * off / (1 / gathered + width * width) / 2
    }
    // The evidence scatters with a variance of twice its mean: so much or more there is in five of six cases.
    return rival.share / place.share * min(exp((2 * told).squareRoot() - told), 1)
  }

  /// Whether a place is so far off that it withholds the goal, also once both agree along the axes: a wide one that does not is
  /// merely narrowed.
  private func isRival(_ rival: Place, of place: Place, _ axes: [Vector3], _ far: Double) -> Bool {
    let apart = place.direction - rival.direction
    var chord = 2 * sin(far / 2)
    if goal == .angle {
      guard abs(Angle.wrapped(rival.horizontalAngle - place.horizontalAngle)) > far else { return false }
      chord *= cos(place.elevation)
    } else if apart.norm <= chord {
      return false
    }
    var left = axes.reduce(apart) { $0 - $0.dot($1) * $1 }
    // Above and below have one azimuth.
    if goal == .angle { left.z = 0 }
    return left.norm > chord
      || axes.contains { abs(apart.dot($0)) > 3 * (place.width(along: $0) + rival.width(along: $0)) }
  }

  /// How narrow a place must be, 1-sigma, radians.
  private func limits(of place: Place) -> (sideways: Double, upwards: Double) {
    // An azimuth is wider than the sine across by this.
    let flat = max(cos(place.elevation), 0.05)
    guard goal == .convergence else {
      let half = Angle.degrees(configuration.angleHalfWidthDegrees) / interval
      return (flat * min(half, .pi / 4 / mirror), .infinity)
    }
    let far = min(.pi / 9, configuration.positionLimit / max(place.distance, 0.1)) / rival
    // The border of "on our level", and how far from it the place is likely to be.
    let border = max(
      asin(min(configuration.sameLevelHeight / max(place.distance, 0.1), 1)),
      Angle.degrees(configuration.sameLevelElevationDegrees))
    let margin = max(abs(abs(place.elevation) - border), 0.67 * place.upwards)
    return (min(far, flat * .pi / 9 / rival), min(far, margin / level))
  }

  private static func narrowed(_ sigma: Double, _ axis: Vector3, _ axes: [Vector3], _ gathered: Double) -> Double {
    let power = axes.reduce(0) { $0 + $1.dot(axis) * $1.dot(axis) }
    return 1 / (1 / max(sigma * sigma, 1e-12) + gathered * power).squareRoot()
  }

  /// How many sigma leave a share outside, both sides together.
  static func sigmas(leaving share: Double) -> Double {
    var (low, high) = (0.0, 10.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if 2 * AngleMarginal.cdf(-middle) > share { low = middle } else { high = middle }
    }
    return high
  }
}
