import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// The NLOS rate of a link is estimated.
@Suite struct NLOSRateEstimatorTests {
  @Test func priorRateIsStationary() {
    var estimator = NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5)
    #expect(abs(estimator.losLossRate - 0.2) < 1e-12)
    for _ in 0..<1000 { estimator.record(seconds: 0.1, losProbability: 1.5 / 1.7) }
    #expect(abs(estimator.losLossRate - 0.2) < 1e-12, "the data have the LOS fraction of the prior")
  }

  /// The rate is estimated from an hour of simulated NLOS intervals.
  @Test(arguments: [0.02, 0.2, 1]) func rateIsEstimated(rate: Double) {
    var random = SeededRandom(seed: 5)
    var estimator = NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5)
    var isLOS = true
    for _ in 0..<180_000 {
      estimator.record(seconds: 0.02, losProbability: isLOS ? 1 : 0)
      if random.uniform(0...1) < 0.02 * (isLOS ? rate : 1.5) { isLOS.toggle() }
    }
    #expect((0.7...1.4).contains(estimator.losLossRate / rate), "\(estimator.losLossRate)")
  }

  @Test func gapsCarryNoInformation() {
    var (silent, received) = (
      NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5), NLOSRateEstimator(losLossRate: 0.2, losReturnRate: 1.5)
    )
    silent.record(seconds: 3600, losProbability: 1)
    received.record(seconds: 0.7, losProbability: 1)
    #expect(abs(silent.losLossRate - received.losLossRate) < 0.01)
  }

  /// Links with NLOS fractions of 0, 10 and 30 % over half a minute estimate rates in this order.
  @Test func aLinkEstimatesItsOwnRate() {
    let rates = [0.0, 0.1, 0.3].map { nlosShare in
      var random = SeededRandom(seed: 9)
      return (0..<8).reduce(0.0) { sum, _ in
        let trial = RangingTrial(.arcAndVertical, seconds: 30, random: &random, nlosShare: nlosShare)
        var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: 0.1)
        trial.readings.forEach { posterior.update(RangingPosterior.range($0)) }
        return sum + posterior.nlosRate.losLossRate / 8
      }
    }
    print("NLOS rates estimated, 1/s, NLOS 0, 10 and 30 %: \(rates)")
    #expect(rates[0] < 0.1)
    #expect(rates[0] < rates[1] && rates[1] < rates[2])
  }
}
