import Foundation
import Geometry
import Ranging
import SensorData
import Simulation
import TestSupport
import Testing

/// Ranges that are wrong altogether, by however much.
@Suite struct GrossRangeTests {
  /// One range of many metres too much moves nothing that is known. From 120 m on the computer could not tell the model's density from that
  /// of a gross error, took the range for a good one, and lost the peer. From 600 m on ways that had been left alone for their small weight kept it,
  /// and outweighed all those to which the range was gross.
  @Test(arguments: [20, 120, 300, 655.35, 1e5, 1e9]) func oneRangeMovesNothing(range: Double) {
    var random = SeededRandom(seed: 91)
    for _ in 0..<6 {
      let trial = RangingTrial(.arc, seconds: 6, random: &random)
      var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
      for reading in trial.readings { posterior.update(ExactPosteriorTests.range(reading)) }
      let before = Self.mean(posterior)
      let last = ExactPosteriorTests.range(trial.readings.last!)
      let outcome = posterior.update(
        PeerFilter.Range(
          timestamp: last.timestamp.advanced(bySeconds: 0.1), range: range, antenna: last.antenna, device: last.device))
      #expect(outcome?.free ?? 1 < 0.5, "it is not used")
      #expect((Self.mean(posterior) - before).norm < 0.1, "and moves nothing")
    }
  }

  /// Nor is a hypothesis the likelier for it that was too unlikely to be worked out: alone in its group of four pairs, or beside others.
  @Test(arguments: [2, 5]) func whatWasNegligibleStaysSo(pairs: Int) {
    var random = SeededRandom(seed: 92)
    for range in [655.35, 1e5, 1e9] {
      var set = RandomHypotheses.make(&random, antennas: [""], count: pairs)
      let last = 2 * pairs - 2
      for i in 0..<set.count { set.logWeight[i] = i < last ? 0 : -30 }
      let evidence = RangeEvidence(
        range: range, antenna: set.anchor, columns: set.layout.columns(of: ""), seconds: 0.1, extraVariance: 0,
        configuration: RangingConfiguration())
      _ = set.update(evidence)
      let share = exp(set.logWeight[last] - set.logWeight[..<last].max()!)
      #expect(share < 1e-9, "\(share) of the best at \(range) m")
    }
  }

  private static func mean(_ posterior: PeerFilter) -> Vector3 {
    posterior.gaussians.reduce(Vector3.zero) { $0 + $1.weight * $1.position }
  }
}
