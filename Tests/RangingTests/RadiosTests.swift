import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// Radios of every kind under one default setting, with white noise estimated.
@Suite struct RadiosTests {
  /// The white noise is estimated within bounds whatever is stated: a coloured part between two candidates is
  /// represented by the larger one and less white noise.
  @Test(arguments: [0.03, 0.08, 0.2], [nil, 0.03, 0.3]) func whiteNoiseIsEstimated(white: Double, stated: Double?)
    throws
  {
    var random = SeededRandom(seed: 71)
    let radio = RangingTrial.Radio(white: white, coloured: 0.05)
    let trial = RangingTrial(.still, seconds: 30, random: &random, radio: radio)
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: stated)
    trial.readings.forEach { posterior.update(RangingPosterior.range($0)) }
    let found = try #require(posterior.noise).white
    #expect((0.7...1.25).contains(found / white), "\(found)")
  }

  /// Of very many noise candidates, none with a large probability, not all are dropped.
  @Test func manyNoisesAreNotAllDropped() {
    var random = SeededRandom(seed: 73)
    var configuration = RangingConfiguration()
    configuration.noiseCandidates = (0..<400).map { [0.05 + 1e-5 * Double($0), 2] }
    configuration.whiteNoisePrior = 1.0 / 400
    configuration.hypothesisLimit = 10
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    for reading in RangingTrial(.arc, seconds: 0.6, random: &random).readings {
      posterior.update(RangingPosterior.range(reading))
    }
    #expect(posterior.count > 0)
  }
}
