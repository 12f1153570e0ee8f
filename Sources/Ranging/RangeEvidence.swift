internal import CGaussianSum
import Foundation
import Geometry

/// One range, as the hypotheses see it.
package struct RangeEvidence {
  /// Measured distance, metres.
  package var range: Double
  /// Where the antenna was, world, metres.
  package var antenna: Vector3
  /// Where that antenna's biases stand in the state.
  package var columns: BiasColumns
  /// Seconds since the range before.
  package var seconds: Double
  /// Variance beyond the link's noise, m^2.
  package var extraVariance: Double
  /// How blocked and gross ranges err.
  package var configuration: RangingConfiguration

  package init(
    range: Double, antenna: Vector3, columns: BiasColumns, seconds: Double, extraVariance: Double,
    configuration: RangingConfiguration
  ) {
    self.range = range
    self.antenna = antenna
    self.columns = columns
    self.seconds = seconds
    self.extraVariance = extraVariance
    self.configuration = configuration
  }
}

/// What a range said about the link as a whole.
package struct RangeVerdict {
  /// Mean innovation over the posterior, metres, and its variance, m^2.
  package var innovation = 0.0
  package var variance = 0.0
  /// Probability that the range was no gross error.
  package var regular = 0.0
  /// Logarithm of the density that the whole posterior logPredictiveDensity for the range, 1/m.
  package var logDensity = 0.0
}

extension fuse_range {
  /// A range as the kernel sees it.
  init(_ evidence: RangeEvidence, anchor: Vector3) {
    let configuration = evidence.configuration
    let from = anchor - evidence.antenna
    let rate = configuration.losTransitionRate
    let change = (1 - exp(-rate * evidence.seconds)) / rate
    let excess = NLOSBiasPrior(configuration)
    self.init(
      range: evidence.range, from: (from.x, from.y, from.z), coloured: Int32(evidence.columns.coloured),
      constant: Int32(evidence.columns.constant ?? -1), rangeOutlierProbability: configuration.rangeOutlierProbability,
      rangeOutlierScale: configuration.rangeOutlierScale, lost: configuration.losLossRate * change,
      back: configuration.losReturnRate * change, extra: evidence.extraVariance,
      flutter: configuration.nlosNoise * configuration.nlosNoise,
      widening: configuration.nlosRandomWalk * configuration.nlosRandomWalk * evidence.seconds, nlosMean: excess.near.mean,
      nlosVariance: excess.near.variance, longNLOSVariance: excess.far.variance, longNLOSProbability: excess.farShare)
  }
}

extension RangeVerdict {
  /// What the kernel's sums say.
  init(_ sums: fuse_range_sums) {
    if sums.after > 0 {
      innovation = sums.innovation / sums.after
      variance = sums.variance / sums.after
      regular = sums.regular / sums.after
    }
    logDensity = log(max(sums.after, 1e-300) / max(sums.before, 1e-300))
  }
}
