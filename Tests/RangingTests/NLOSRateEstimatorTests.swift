import Foundation
import Geometry
import Ranging
import Simulation
import TestSupport
import Testing

/// How often the sight of a link is lost is learnt.
@Suite struct NLOSRateEstimatorTests {
  @Test func whatIsExpectedStaysAsItIs() {
    var history = NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5)
    #expect(abs(history.losLossRate - 0.2) < 1e-12)
    for _ in 0..<1000 { history.note(seconds: 0.1, free: 1.5 / 1.7) }
    #expect(abs(history.losLossRate - 0.2) < 1e-12, "nothing but the prior's own share was seen")
  }

  /// Spells drawn at rates that nobody tells: an hour of them tells.
  @Test(arguments: [0.02, 0.2, 1]) func theRateIsFound(rate: Double) {
    var random = SeededRandom(seed: 5)
    var history = NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5)
    var isFree = true
    for _ in 0..<180_000 {
      history.note(seconds: 0.02, free: isFree ? 1 : 0)
      if random.uniform(0...1) < 0.02 * (isFree ? rate : 1.5) { isFree.toggle() }
    }
    #expect((0.7...1.4).contains(history.losLossRate / rate), "\(history.losLossRate)")
  }

  @Test func silenceTellsNothing() {
    var (silent, heard) = (
      NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5), NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5)
    )
    silent.note(seconds: 3600, free: 1)
    heard.note(seconds: 0.7, free: 1)
    #expect(abs(silent.losLossRate - heard.losLossRate) < 0.01)
  }

  /// A link that was free for half a minute expects fewer spells, one that was blocked often more: each by its own ranges, and in the order of the truth.
  @Test func aLinkLearnsItsOwn() {
    let rates = [0.0, 0.1, 0.3].map { share in
      var random = SeededRandom(seed: 9)
      return (0..<8).reduce(0.0) { sum, _ in
        let trial = RangingTrial(.arcAndVertical, seconds: 30, random: &random, nlosShare: share)
        var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: 0.1)
        trial.readings.forEach { posterior.update(ExactPosteriorTests.range($0)) }
        return sum + posterior.sight.losLossRate / 8
      }
    }
    print("blocking rates learnt, 1/s, blocked 0, 10 and 30 %: \(rates)")
    #expect(rates[0] < 0.1)
    #expect(rates[0] < rates[1] && rates[1] < rates[2])
  }
}
