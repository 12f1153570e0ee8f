/// What a motion is expected to bring.
package enum Forecast: Equatable, Sendable {
  /// Seconds until what is missing would be there: no finer than the steps, for it is an expectation over what is not known.
  case seconds(Double)
  /// It would come, but not within the last of the steps.
  case tooLong
  /// This motion alone does not get there, however long it lasts.
  case notReached(Obstacle)
  /// Noise or rate of the ranges are not known yet.
  case unknown

  /// What stays in the way.
  package enum Obstacle: Equatable, Sendable {
    /// Another place lies the same way along this motion.
    case rival
    /// Known sideways to `sigma`, `limit` is needed, radians.
    case sideways(sigma: Double, limit: Double)
    /// Known upwards to `sigma`, `limit` is needed, radians.
    case upwards(sigma: Double, limit: Double)
    /// The distance alone, or the trajectory's own error, uses up what the position may err.
    case distance
    /// The ranges contradict all that is believed.
    case doubt
  }

  /// What can be said, seconds.
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
