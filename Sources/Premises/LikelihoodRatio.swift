import Foundation

/// A generalised likelihood-ratio test between explanations of the same residuals, with an unknown noise level.
///
/// With n residuals normalised to unit expected variance, the noise scale s is common to all explanations and profiled
/// out: `log L_k = -n/2 log max(RSS_k / n, floor)`. The floor keeps an explanation from winning by fitting noise: below
/// the expected noise nothing is gained. An explanation pays `log(count)` for being one of several, and half the
/// logarithm of n for each of its free parameters (Schwarz, Annals of Statistics 6(2), 1978,
/// doi:10.1214/aos/1176344136). By Markov's inequality a ratio above x has probability at most e^-x under the null
/// hypothesis, once those costs are paid.
struct LikelihoodRatio {
  /// An explanation: which, its residual sum of squares, its number of fitted parameters beyond those of the null
  /// hypothesis.
  struct Explanation<Kind> {
    var kind: Kind
    var squares: Double
    var parameters: Int
  }

  /// Number of residuals.
  var count: Int
  /// Mean square of a normalised residual that the null hypothesis expects at least.
  var floor = 1.0

  /// Log likelihood ratio of an explanation against the null hypothesis, costs paid, natural logarithm.
  ///
  /// - Parameter alternatives: how many explanations were tried.
  func ratio(null: Double, alternative: Double, parameters: Int, alternatives: Int) -> Double {
    let n = Double(max(count, 1))
    func level(_ squares: Double) -> Double { log(max(squares / n, floor)) }
    return n / 2 * (level(null) - level(alternative)) - Double(parameters) / 2 * log(n)
      - log(Double(max(alternatives, 1)))
  }

  /// The best explanation and its ratio; nil where none was tried.
  func best<Kind>(null: Double, _ explanations: [Explanation<Kind>]) -> (kind: Kind, ratio: Double, squares: Double)? {
    explanations.map {
      (
        $0.kind,
        ratio(null: null, alternative: $0.squares, parameters: $0.parameters, alternatives: explanations.count),
        $0.squares
      )
    }.max { $0.1 < $1.1 }
  }
}
