import Foundation
import SensorData

/// How long the angles of arrival of a link err alike, told by the angles themselves.
///
/// Two neighbouring errors of 1-sigma s and correlation rho differ by `2 s^2 (1 - rho)` in the mean square. What is measured of that
/// adds to what was assumed of a radio, as if `priorPairs` had been seen; n angles with neighbours so correlated are worth
/// `n (1 - rho) / (1 + rho)` independent ones. Source: Bayley and Hammersley, JRSS Supplement 8, 1946, doi:10.2307/2983560.
package struct AoAErrorCorrelation: Sendable {
  private static let priorPairs = 20.0
  /// Neighbours farther apart tell nothing of each other, in memories.
  private static let longestGap = 2.0

  private let assumed: Double
  private var last: (time: Timestamp, errors: [Double])?
  /// Sums over pairs of neighbours, with the assumption: of `1 - rho` as measured, of the seconds between them, and their number.
  private var change, seconds, pairs: Double

  /// - Parameter assumed: for how long angles err alike on a radio that has told nothing yet, seconds.
  package init(assumed: Double) {
    self.assumed = assumed
    (change, seconds, pairs) = (0, 0, 0)
  }

  /// Takes in how far the cosines at `time` are from where they are expected, in 1-sigmas.
  package mutating func note(_ errors: [Double], at time: Timestamp) {
    defer { last = (time, errors) }
    guard let last, last.errors.count == errors.count, !errors.isEmpty else { return }
    let gap = time.seconds(since: last.time)
    guard gap > 0, gap < Self.longestGap * assumed else { return }
    let square = zip(errors, last.errors).reduce(0.0) { $0 + min(($1.0 - $1.1) * ($1.0 - $1.1), 16) }
    change += 0.5 * square / Double(errors.count)
    seconds += gap
    pairs += 1
  }

  /// What share of an independent measurement an angle is worth that comes so long after the one before, 0...1.
  package func worth(after gap: Double) -> Double {
    guard gap > 0 else { return 0 }
    let typical = pairs > 0 ? seconds / pairs : gap
    let expected = 1 - Self.correlation(typical, assumed)
    let measured = (change + Self.priorPairs * expected) / (pairs + Self.priorPairs)
    // The correlation at the neighbours' usual gap, carried to this one as that of a Gauss-Markov process.
    let rho = pow(min(max(1 - measured, 0), 1), gap / typical)
    return (1 - rho) / (1 + rho)
  }

  /// The correlation for which neighbours so far apart are worth `gap / memory` each.
  private static func correlation(_ gap: Double, _ memory: Double) -> Double {
    let worth = min(gap / memory, 1)
    return (1 - worth) / (1 + worth)
  }
}
