import Foundation

/// Likelihoods of LOS and NLOS given the NLOS probability that a radio reports.
///
/// The odds are bounded by 10 to 1 per NLOS interval, because errors of the report are correlated as long as the
/// surroundings last. If every report counted as independent, a radio that always reports NLOS would outweigh any
/// range.
package struct ReportedNLOS: Equatable, Sendable {
  /// Likelihoods of the report, up to a common factor.
  package let losLikelihood, nlosLikelihood: Double

  /// - Parameters:
  ///   - probability: reported probability of NLOS, 0...1.
  ///   - seconds: since the previous report.
  ///   - rate: of LOS/NLOS transitions, 1/s: reports `1 / rate` apart are independent.
  package init(probability: Double, seconds: Double, rate: Double) {
    let p = min(max(probability, 0), 1)
    let weight = 1 - exp(-rate * max(seconds, 0))
    losLikelihood = pow(0.1 + (1 - p), weight)
    nlosLikelihood = pow(0.1 + p, weight)
  }
}
