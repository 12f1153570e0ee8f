import Foundation
import Geometry
import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// Outlier ranges of any size.
@Suite struct OutlierRangeTests {
  /// One range that is too long by many metres moves nothing. Regressions: from 120 m on the inlier and the outlier
  /// density underflowed, the range counted as an inlier, and the peer was lost. From 600 m on negligible transitions
  /// kept their weight and outweighed all those to which the range was an outlier.
  @Test(arguments: [20, 120, 300, 655.35, 1e5, 1e9]) func anOutlierMovesNothing(range: Double) {
    var random = SeededRandom(seed: 91)
    for _ in 0..<6 {
      let trial = RangingTrial(.arc, seconds: 6, random: &random)
      var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
      for reading in trial.readings { posterior.update(RangingPosterior.range(reading)) }
      let before = Self.mean(posterior)
      let last = RangingPosterior.range(trial.readings.last!)
      let outcome = posterior.update(
        PeerFilter.Range(
          timestamp: last.timestamp.advanced(bySeconds: 0.1), range: range, antenna: last.antenna, device: last.device))
      #expect(outcome?.losProbability ?? 1 < 0.5, "it is not used")
      #expect((Self.mean(posterior) - before).norm < 0.1, "and moves nothing")
    }
  }

  /// Nor does it increase the weight of a negligible component, alone in its group of four pairs or beside others.
  @Test(arguments: [2, 5]) func negligibleComponentsStayNegligible(pairs: Int) {
    var random = SeededRandom(seed: 92)
    for range in [655.35, 1e5, 1e9] {
      var set = RandomGaussianSum.make(&random, antennas: [""], count: pairs)
      let last = 2 * pairs - 2
      for i in 0..<set.count { set.logWeight[i] = i < last ? 0 : -30 }
      let observation = RangeObservation(
        range: range, antenna: set.anchor, columns: set.layout.columns(of: ""), seconds: 0.1, extraVariance: 0,
        configuration: RangingConfiguration())
      _ = set.update(observation)
      let weight = exp(set.logWeight[last] - set.logWeight[..<last].max()!)
      #expect(weight < 1e-9, "\(weight) of the best at \(range) m")
    }
  }

  private static func mean(_ posterior: PeerFilter) -> Vector3 {
    posterior.gaussians.reduce(Vector3.zero) { $0 + $1.weight * $1.position }
  }
}
