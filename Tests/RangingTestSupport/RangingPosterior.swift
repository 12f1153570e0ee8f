import Evaluation
import Foundation
import Geometry
import Ranging
import SensorData
import TestSupport

/// The posterior of a peer on the draws of a `RangingTrial`.
package enum RangingPosterior {
  /// Settings with the exact model of the trials.
  package static let matched: RangingConfiguration = {
    var configuration = RangingConfiguration()
    configuration.noiseCandidates = [[RangingTrial.coloured, RangingTrial.memory]]
    configuration.assumedNoise = hypot(RangingTrial.white, RangingTrial.coloured)
    configuration.statedNoisePseudoCount = .infinity
    configuration.biasPrior = RangingTrial.constant
    configuration.correlationLength = 1e9
    configuration.scalePrior = 1e-6
    configuration.peerRandomWalk = 0
    configuration.losLossRate = 1e-9
    configuration.rangeOutlierProbability = 0
    return configuration
  }()

  /// The exact posterior's model, the same one.
  package static let ideal = RangeErrorModel(
    white: RangingTrial.white, coloured: RangingTrial.coloured, memory: RangingTrial.memory,
    constant: RangingTrial.constant, heights: matched.heightPrior)

  /// A reading as the filter takes it.
  package static func range(_ reading: RangingTrial.Reading) -> PeerFilter.Range {
    PeerFilter.Range(
      timestamp: Timestamp(nanoseconds: Int64(reading.time * 1e9)), range: reading.range, antenna: reading.device,
      device: reading.device)
  }

  /// Circular mean of the azimuth under Gaussians, as `IdealView` computes it under cells.
  package static func azimuth(_ gaussians: [PositionGaussian], from device: Vector3) -> Double {
    var sum = SIMD2<Double>.zero
    for g in gaussians {
      let d = g.position - device
      let h = max(d.horizontalNorm, 1e-9)
      let across = Vector3(-d.y, d.x, 0) / h
      sum += g.weight * exp(-0.5 * g.covariance.form(across, across) / (h * h)) / h * SIMD2(d.x, d.y)
    }
    return atan2(sum.y, sum.x)
  }

  /// Azimuth seen from the device: mean and 1-sigma, radians.
  package static func azimuth(_ posterior: PeerFilter, from device: Vector3) -> (mean: Double, sigma: Double) {
    let parts = posterior.gaussians
    let mean = azimuth(parts, from: device)
    let square = parts.reduce(0.0) { sum, part in
      let d = part.position - device, h = max(d.horizontalNorm, 1e-9)
      let across = Vector3(-d.y, d.x, 0) / h
      let off = Angle.wrapped(atan2(d.y, d.x) - mean)
      return sum + part.weight * (off * off + part.covariance.form(across, across) / (h * h))
    }
    return (mean, square.squareRoot())
  }
}
