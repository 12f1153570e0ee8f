import Foundation
import Geometry
import LeastSquares
import Ranging
import SensorData
import Simulation
import Testing

/// NLOS intervals with a bias far longer than usual.
@Suite struct LongNLOSBiasTests {
  /// Posterior probability within 30 degrees of the truth, and the number of components, after a device has swept to
  /// and fro with an NLOS bias, metres, for 1.2 s of it.
  private static func left(
    seed: UInt64, nlosBias: Double, _ configuration: RangingConfiguration
  ) -> (probability: Double, components: Int) {
    var random = SeededRandom(seed: seed)
    let peer = random.uniform(2...6) * random.direction()
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    for i in 0..<70 {
      let t = Double(i) / 20
      let device = Vector3(0.15 * sin(2 * .pi * t / 2.3), 0.05 * sin(2 * .pi * t / 3.1), 0)
      let added = (1.6..<2.8).contains(t) ? nlosBias : 0
      posterior.update(
        PeerFilter.Range(
          timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t),
          range: (peer - device).norm + added + 0.07 * random.gaussian(), antenna: device, device: device))
    }
    let near = posterior.gaussians.filter { $0.position.normalized.dot(peer.normalized) > cos(.pi / 6) }
    return (near.reduce(0) { $0 + $1.weight }, posterior.count)
  }

  /// Number of 24 searches in which the truth is lost; and the median number of components.
  private static func lost(nlosBias: Double, _ configuration: RangingConfiguration = .init()) -> (Int, Int) {
    let trials = (0..<24 as Range<UInt64>).map { left(seed: $0, nlosBias: nlosBias, configuration) }
    let counts = trials.map(\.components).sorted()
    return (trials.count { $0.probability < 0.01 }, counts[counts.count / 2])
  }

  /// An NLOS interval of 1.2 s with a bias of any length loses nothing.
  @Test(arguments: [0, 0.5, 1.5, 4, 7]) func anNLOSIntervalKeepsTheTruth(nlosBias: Double) {
    let (lost, left) = Self.lost(nlosBias: nlosBias)
    print("After an NLOS interval with a bias of \(nlosBias) m the truth is lost in \(lost) of 24; \(left) components.")
    #expect(lost == 0)
  }

  /// Purpose of the long-bias part of the prior.
  @Test func withoutLongBiasesTheTruthIsLost() {
    var configuration = RangingConfiguration()
    configuration.longNLOSProbability = 0
    let (lost, left) = Self.lost(nlosBias: 4, configuration)
    print("Without long biases, an NLOS bias of 4 m: lost in \(lost) of 24; \(left) components.")
    #expect(lost > 2)
  }

  /// The likelihood of a transition to NLOS is the integral over all positive biases, by Simpson's rule.
  @Test(arguments: [0.6, 2, 4, 6]) func likelihoodIsTheIntegralOverTheBias(error: Double) {
    var random = SeededRandom(seed: 94)
    var set = RandomGaussianSum.make(&random, antennas: [""], count: 1, spread: 0.1)
    set.logWeight[1] = -80
    var configuration = RangingConfiguration()
    configuration.rangeOutlierProbability = 0
    let seconds = 0.1
    let antenna = set.anchor
    let x = set[0].scalars
    let innovation = error
    let range = (1 + x[2]) * (set.position(0) - antenna).norm + x[1] + x[3] + innovation
    let white = set.noises[set[0].noise].white
    let predicted = set.predictedRange(0, antenna: antenna, columns: set.layout.columns(of: ""))
    let result = set.update(
      RangeObservation(
        range: range, antenna: antenna, columns: set.layout.columns(of: ""), seconds: seconds, extraVariance: 0,
        configuration: configuration))

    let rate = configuration.losLossRate + configuration.losReturnRate
    let lost = configuration.losLossRate * (1 - exp(-rate * seconds)) / rate
    let los = predicted.variance + white * white
    let nlos = los + configuration.nlosNoise * configuration.nlosNoise
    func normal(_ x: Double, _ variance: Double) -> Double { NormalDistribution.density(x, variance: variance) }
    func prior(_ nlosBias: Double) -> Double {
      let (near, far) = (configuration.nlosSpread, configuration.longNLOSSpread)
      return 2 * (1 - configuration.longNLOSProbability) * normal(nlosBias, near * near)
        + 2 * configuration.longNLOSProbability * normal(nlosBias, far * far)
    }
    let (count, step) = (40_000, 0.0005)
    var integral = 0.0
    for i in 0...count {
      let weight = (i == 0 || i == count ? 1.0 : i % 2 == 1 ? 4 : 2) * step / 3
      integral += weight * prior(Double(i) * step) * normal(innovation - Double(i) * step, nlos)
    }
    let expected = (1 - lost) * normal(innovation, los) + lost * integral
    // Of a bias within the usual sigma the long part, a fourteenth at most, is left out.
    #expect(abs(result.logDensity - log(expected)) < (error < 0.8 ? 0.08 : 0.01))
  }
}
