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
