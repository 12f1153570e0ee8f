/// What is assumed of the excess of a sight that has just been blocked: most are below a metre, and a few are several.
///
/// Two normal distributions, of which only the part above zero counts. One alone has no tail: where an excess was five of its sigmas
/// long, the centimetres by which hypotheses differ decided which of them outlived the spell.
package struct NLOSBiasPrior: Equatable, Sendable {
  /// The usual ones, metres.
  package var near: TruncatedNormal
  /// The long ones, metres.
  package var far: TruncatedNormal
  /// Share of the long ones.
  package var farShare: Double

  package init(_ configuration: RangingConfiguration) {
    func part(_ spread: Double) -> TruncatedNormal {
      TruncatedNormal(mean: configuration.nlosMean, variance: spread * spread)
    }
    near = part(configuration.nlosSpread)
    far = part(configuration.longNLOSSpread)
    farShare = configuration.longNLOSProbability
  }
}
