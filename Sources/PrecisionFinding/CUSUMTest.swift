import Foundation

/// Watches whether the ranges go on to bear out what is believed of a peer: a pure state machine over densities.
///
/// Page's test: the logarithm of how much better the ranges alone (`RangeOnlyModel`) logPredictiveDensity each range than the belief did is
/// summed from the moment at which the sum was last zero. If the belief is right, the sum is an odd e^-x to pass x. That moment
/// is also the best guess of when the belief went wrong. Source: Page, "Continuous inspection schemes", Biometrika 41, 1954,
/// doi:10.1093/biomet/41.1-2.100.
package struct CUSUMTest {
  private let limit: Double
  /// Evidence against the belief, natural logarithm of the odds; never negative.
  package private(set) var evidence = 0.0
  /// Ranges since it was zero: those that the belief does not explain.
  package private(set) var unexplained = 0

  /// - Parameter limit: evidence at which the belief is given up.
  package init(limit: Double) { self.limit = limit }

  /// Takes in how well a range was logPredictiveDensity, logarithms of densities; nil where nobody logPredictiveDensity anything. True when the belief is
  /// to be given up.
  ///
  /// - Parameter seconds: since the range before. What either model leaves out of a radio's errors lasts: ranges closer together
  ///   than a tenth of a second share the evidence of one.
  package mutating func note(belief: Double?, alone: Double?, seconds: Double = 0.1) -> Bool {
    guard let belief, let alone else { return false }
    evidence = max(evidence + Self.share(seconds) * (alone - belief), 0)
    unexplained = evidence > 0 ? unexplained + 1 : 0
    return evidence > limit
  }

  /// What part of an independent range's evidence one has that came so many seconds after the range before, 0...1.
  package static func share(_ seconds: Double) -> Double { min(max(seconds, 0) / 0.1, 1) }

  /// Begins anew, with a new belief.
  ///
  /// - Parameter evidence: what speaks against it beforehand.
  package mutating func reset(to evidence: Double = 0) { (self.evidence, unexplained) = (evidence, 0) }

  /// Probability that the belief is wrong, if it was before with odds of 1 to e^limit; even odds are the limit.
  package var doubt: Double { 1 / (1 + exp(limit - evidence)) }
}
