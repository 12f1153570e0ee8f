/// Prior of the NLOS bias at the start of an NLOS interval: most are below a metre, a few are several metres.
///
/// A mixture of two normal distributions truncated at zero. With one alone, which has no tail, biases of five sigma
/// were decided by centimetres between components, and the wrong ones survived the NLOS interval.
package struct NLOSBiasPrior: Equatable, Sendable {
  /// The short biases, metres.
  package var near: TruncatedNormal
  /// The long biases, metres.
  package var far: TruncatedNormal
  /// Probability of a long bias.
  package var farProbability: Double

  package init(_ configuration: RangingConfiguration) {
    func part(_ spread: Double) -> TruncatedNormal {
      TruncatedNormal(mean: configuration.nlosMean, variance: spread * spread)
    }
    near = part(configuration.nlosSpread)
    far = part(configuration.longNLOSSpread)
    farProbability = configuration.longNLOSProbability
  }
}
