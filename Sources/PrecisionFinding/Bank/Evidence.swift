import Foundation

/// Evidence for a model against the incumbent: one log likelihood ratio, in nat.
///
/// `S_k = S_{k-1} + w_k (log p(z_k) - log p_incumbent(z_k))`; with a floor of 0, `max(..., 0)`, it is Page's CUSUM: where the incumbent is right S passes x with
/// odds of e^-x, and the last time of S = 0 estimates the time of the change. The odds of the model are `e^(S - cost)`, the cost being its prior log odds
/// against it. Source: Page, "Continuous inspection schemes", Biometrika 41, 1954, doi:10.1093/biomet/41.1-2.100.
package struct Evidence: Equatable, Sendable {
  /// Unmodelled radio errors last: ranges closer than this share the information of one, seconds.
  private static let independent = 0.1

  /// S, nat.
  package private(set) var logRatio: Double
  /// S when it began, nat.
  package let start: Double
  /// Log odds against the model before any range, nat.
  package let cost: Double
  /// Ranges since S was 0: those that the incumbent does not explain.
  package private(set) var unexplained = 0
  private let floor: Double?

  /// - Parameters:
  ///   - cost: log odds against the model, nat.
  ///   - start: the first S, nat.
  ///   - floor: S is never below it, nat; nil: it may fall without bound.
  package init(cost: Double, start: Double = 0, floor: Double? = nil) {
    (self.cost, self.start, self.floor) = (cost, start, floor)
    logRatio = start
  }

  /// Adds a range's log predictive densities under the model and under the incumbent; nil where one predicts none.
  ///
  /// - Parameter seconds: since the previous range: `w = min(max(seconds, 0) / 0.1, 1)`.
  package mutating func add(own: Double?, incumbent: Double?, seconds: Double = Self.independent) {
    guard let own, let incumbent else { return }
    logRatio += min(max(seconds, 0) / Self.independent, 1) * (own - incumbent)
    if let floor { logRatio = max(logRatio, floor) }
    unexplained = logRatio > 0 ? unexplained + 1 : 0
  }

  /// The same before any range.
  package mutating func restart() { (logRatio, unexplained) = (start, 0) }

  /// Odds of the model against the incumbent.
  package var odds: Double { exp(logRatio - cost) }
  /// Probability of the model beside the incumbent alone, 0...1.
  package var probability: Double { 1 / (1 + exp(cost - logRatio)) }
}
