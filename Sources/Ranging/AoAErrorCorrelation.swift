import Foundation
import SensorData

/// Correlation time of the angle-of-arrival (AoA) errors of a link, estimated from the angles themselves.
///
/// Two successive errors of 1-sigma s and correlation rho differ by `2 s^2 (1 - rho)` in the mean square. The measured
/// `1 - rho` is averaged with the prior, which has the weight of `priorPairs` pairs. n angles with successive
/// correlation rho have the weight of `n (1 - rho) / (1 + rho)` independent ones. Source: Bayley and Hammersley, JRSS
/// Supplement 8, 1946, doi:10.2307/2983560.
package struct AoAErrorCorrelation: Sendable {
  private static let priorPairs = 20.0
  /// Pairs farther apart carry no information, in correlation times.
  private static let longestGap = 2.0

  private let assumed: Double
  private var last: (time: Timestamp, errors: [Double])?
  /// Sums over successive pairs, without the prior: measured `1 - rho`, seconds between them, number of pairs.
  private var change, seconds, pairs: Double

  /// - Parameter assumed: prior correlation time, seconds.
  package init(assumed: Double) {
    self.assumed = assumed
    (change, seconds, pairs) = (0, 0, 0)
  }

  /// Processes the residuals of the cosines at `time`, in 1-sigmas.
  package mutating func record(_ errors: [Double], at time: Timestamp) {
    defer { last = (time, errors) }
    guard let last, last.errors.count == errors.count, !errors.isEmpty else { return }
    let gap = time.seconds(since: last.time)
    guard gap > 0, gap < Self.longestGap * assumed else { return }
    let square = zip(errors, last.errors).reduce(0.0) { $0 + min(($1.0 - $1.1) * ($1.0 - $1.1), 16) }
    change += 0.5 * square / Double(errors.count)
    seconds += gap
    pairs += 1
  }

  /// Weight of an angle `gap` seconds after the previous one, as a fraction of an independent one, 0...1.
  package func weight(after gap: Double) -> Double {
    guard gap > 0 else { return 0 }
    let typical = pairs > 0 ? seconds / pairs : gap
    let expected = 1 - Self.correlation(typical, assumed)
    let measured = (change + Self.priorPairs * expected) / (pairs + Self.priorPairs)
    // Gauss-Markov: the correlation at the usual gap, scaled to this gap.
    let rho = pow(min(max(1 - measured, 0), 1), gap / typical)
    return (1 - rho) / (1 + rho)
  }

  /// The correlation at which angles `gap` apart have the weight `gap / correlationTime`.
  private static func correlation(_ gap: Double, _ correlationTime: Double) -> Double {
    let weight = min(gap / correlationTime, 1)
    return (1 - weight) / (1 + weight)
  }
}
