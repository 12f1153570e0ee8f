internal import CGaussianSum
import Foundation
import Geometry
import LeastSquares

/// One range for the update of a `GaussianSum`.
package struct RangeObservation {
  /// Measured distance, metres.
  package var range: Double
  /// Position of the antenna, world, metres.
  package var antenna: Vector3
  /// Indices of that antenna's biases.
  package var columns: BiasColumns
  /// Seconds since the previous range.
  package var seconds: Double
  /// Variance beyond the link's noise, m^2.
  package var extraVariance: Double
  /// NLOS and outlier model.
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

extension RangeObservation {
  /// Probabilities of the transitions since the previous range: LOS to NLOS, and NLOS to LOS.
  var losTransitions: (loss: Double, recovery: Double) {
    let rate = configuration.losTransitionRate
    let change = (1 - exp(-rate * seconds)) / rate
    return (configuration.losLossRate * change, configuration.losReturnRate * change)
  }

  /// Probability of LOS at this range, before it is known, from that after the previous one.
  package func losProbability(after previous: Double) -> Double {
    let (loss, recovery) = losTransitions
    return previous * (1 - loss) + (1 - previous) * recovery
  }
}

/// Result of a range update of a `GaussianSum`.
package struct RangeUpdateResult {
  /// Mean innovation over the posterior, metres, and its variance, m^2.
  package var innovation = 0.0
  package var variance = 0.0
  /// Posterior probability of an inlier.
  package var regular = 0.0
  /// Log predictive density of the range, 1/m.
  package var logDensity = 0.0
}

extension fuse_range {
  /// Input of the kernel.
  init(_ observation: RangeObservation, anchor: Vector3) {
    let configuration = observation.configuration
    let from = anchor - observation.antenna
    let (loss, recovery) = observation.losTransitions
    let nlosBias = NLOSBiasPrior(configuration)
    self.init(
      range: observation.range, from: (from.x, from.y, from.z), coloured: Int32(observation.columns.coloured),
      constant: Int32(observation.columns.constant ?? -1),
      rangeOutlierProbability: configuration.rangeOutlierProbability,
      rangeOutlierScale: configuration.rangeOutlierScale, losLossProbability: loss,
      losReturnProbability: recovery, extraVariance: observation.extraVariance,
      nlosNoiseVariance: configuration.nlosNoise * configuration.nlosNoise,
      nlosRandomWalkVariance: configuration.nlosRandomWalk * configuration.nlosRandomWalk * observation.seconds,
      nlosMean: nlosBias.near.mean,
      nlosVariance: nlosBias.near.variance, longNLOSVariance: nlosBias.far.variance,
      longNLOSProbability: nlosBias.farProbability)
  }
}

extension RangeUpdateResult {
  /// From the sums of the kernel.
  init(_ sums: fuse_range_sums) {
    if sums.after > 0 {
      innovation = sums.innovation / sums.after
      variance = sums.variance / sums.after
      regular = sums.regular / sums.after
    }
    logDensity = log(max(sums.after, 1e-300) / max(sums.before, 1e-300))
  }
}

/// Likelihood of an innovation: inlier (normal) and outlier (Cauchy) mixture.
package struct RangeLikelihood {
  /// Inlier density times its prior probability, 1/m.
  package let regular: Double
  /// Outlier density times its prior probability, 1/m.
  package let outlier: Double
  /// Mixture density, 1/m; never zero.
  @inlinable package var total: Double { max(regular + outlier, 1e-300) }
  /// Posterior probability of an inlier, 0...1.
  @inlinable package var responsibility: Double { regular / total }

  /// - Parameters: the innovation in metres and its variance (prediction plus white noise) in m^2.
  @inlinable package init(
    innovation: Double, variance: Double, rangeOutlierProbability: Double, rangeOutlierScale: Double
  ) {
    regular = (1 - rangeOutlierProbability) * NormalDistribution.density(innovation, variance: variance)
    outlier = rangeOutlierProbability * Self.cauchy(innovation, variance + rangeOutlierScale * rangeOutlierScale)
  }

  /// Cauchy density with the square of its half-width: an outlier may have any size. A normal outlier density would
  /// underflow at a hundred metres like the inlier's, and the responsibility would be undefined.
  @inlinable package static func cauchy(_ x: Double, _ square: Double) -> Double {
    square.squareRoot() / (.pi * (square + x * x))
  }
}
