import Foundation

/// CUSUM change detection (Page's test) of the incumbent against an alternative: a pure state machine over log
/// densities.
///
/// `S_k = max(S_{k-1} + w_k (log p_alternative(z_k) - log p_incumbent(z_k)), 0)`, with the alternative `RangeOnlyModel`
/// in `ConsistencyMonitor`. If the incumbent is right, S passes x with odds of e^-x. The last time of S = 0 estimates
/// the time of the change. Source: Page, "Continuous inspection schemes", Biometrika 41, 1954,
/// doi:10.1093/biomet/41.1-2.100.
package struct PageCUSUM {
  private let limit: Double
  /// The statistic S: cumulative log likelihood ratio against the incumbent, never negative.
  package private(set) var logLikelihoodRatio = 0.0
  /// Ranges since S was 0: those that the incumbent does not explain.
  package private(set) var unexplained = 0

  /// - Parameter limit: S at which the incumbent is rejected.
  package init(limit: Double) { self.limit = limit }

  /// Updates S with the log predictive densities of a range; nil where a model predicts none. True when the incumbent
  /// is rejected.
  ///
  /// - Parameter seconds: since the previous range. Unmodelled radio errors last: ranges closer than 0.1 s share the
  ///   information of one.
  package mutating func update(incumbent: Double?, alternative: Double?, seconds: Double = 0.1) -> Bool {
    guard let incumbent, let alternative else { return false }
    logLikelihoodRatio = max(logLikelihoodRatio + Self.informationFraction(seconds) * (alternative - incumbent), 0)
    unexplained = logLikelihoodRatio > 0 ? unexplained + 1 : 0
    return logLikelihoodRatio > limit
  }

  /// Information of a range relative to an independent one: `w = min(max(seconds, 0) / 0.1, 1)`.
  package static func informationFraction(_ seconds: Double) -> Double { min(max(seconds, 0) / 0.1, 1) }

  /// Restarts with a new incumbent.
  ///
  /// - Parameter logLikelihoodRatio: initial S.
  package mutating func reset(to logLikelihoodRatio: Double = 0) {
    (self.logLikelihoodRatio, unexplained) = (logLikelihoodRatio, 0)
  }

  /// Probability that the incumbent is wrong, with prior odds of 1 to e^limit: a half at the limit.
  package var contradictionProbability: Double { 1 / (1 + exp(limit - logLikelihoodRatio)) }
}
