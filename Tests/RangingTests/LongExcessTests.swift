import Foundation
import Geometry
import Ranging
import SensorData
import Simulation
import Testing

/// Spells whose excess is far longer than usual.
@Suite struct LongExcessTests {
  /// What is left of the posterior within 30 degrees of the truth after a device has swept to and fro, and the sight had an excess, metres, for
  /// 1.2 s of it; and how many hypotheses.
  private static func left(
    seed: UInt64, excess: Double, _ configuration: RangingConfiguration
  ) -> (share: Double, hypotheses: Int) {
    var random = SeededRandom(seed: seed)
    let peer = random.uniform(2...6) * random.direction()
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    for i in 0..<70 {
      let t = Double(i) / 20
      let place = Vector3(0.15 * sin(2 * .pi * t / 2.3), 0.05 * sin(2 * .pi * t / 3.1), 0)
      let added = (1.6..<2.8).contains(t) ? excess : 0
      posterior.update(
        PeerFilter.Range(
          timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t),
          range: (peer - place).norm + added + 0.07 * random.gaussian(), antenna: place, device: place))
    }
    let near = posterior.gaussians.filter { $0.position.normalized.dot(peer.normalized) > cos(.pi / 6) }
    return (near.reduce(0) { $0 + $1.weight }, posterior.count)
  }

  /// Of 24 searches, in how many is the truth as good as given up; and the median number of hypotheses.
  private static func lost(excess: Double, _ configuration: RangingConfiguration = .init()) -> (Int, Int) {
    let trials = (0..<24 as Range<UInt64>).map { left(seed: $0, excess: excess, configuration) }
    let counts = trials.map(\.hypotheses).sorted()
    return (trials.count { $0.share < 0.01 }, counts[counts.count / 2])
  }

  /// However long the excess, a spell of 1.2 s decides next to nothing.
  @Test(arguments: [0, 0.5, 1.5, 4, 7]) func aSpellDecidesNothing(excess: Double) {
    let (lost, left) = Self.lost(excess: excess)
    print("After a spell of \(excess) m the truth is lost in \(lost) of 24; \(left) hypotheses.")
    #expect(lost == 0)
  }

  /// What the long part is for.
  @Test func withoutATailALongSpellDecides() {
    var configuration = RangingConfiguration()
    configuration.longNLOSProbability = 0
    let (lost, left) = Self.lost(excess: 4, configuration)
    print("Without long excesses, a spell of 4 m: lost in \(lost) of 24; \(left) hypotheses.")
    #expect(lost > 2)
  }

  /// The evidence for a sight that has just been blocked is the integral over all excesses above zero, by Simpson's rule.
  @Test(arguments: [0.6, 2, 4, 6]) func theEvidenceIsTheIntegralOverTheExcess(error: Double) {
    var random = SeededRandom(seed: 94)
    var set = RandomHypotheses.make(&random, antennas: [""], count: 1, spread: 0.1)
    set.logWeight[1] = -80
    var configuration = RangingConfiguration()
    configuration.rangeOutlierProbability = 0
    let seconds = 0.1
    let antenna = set.anchor
    let x = set[0].scalars
    let innovation = error
    let range = (1 + x[2]) * (set.position(0) - antenna).norm + x[1] + x[3] + innovation
    let white = set.noises[set[0].noise].white
    let logPredictiveDensity = set.logPredictiveDensity(0, antenna: antenna, columns: set.layout.columns(of: ""))
    let verdict = set.update(
      RangeEvidence(
        range: range, antenna: antenna, columns: set.layout.columns(of: ""), seconds: seconds, extraVariance: 0,
        configuration: configuration))

    let rate = configuration.losLossRate + configuration.losReturnRate
    let lost = configuration.losLossRate * (1 - exp(-rate * seconds)) / rate
    let free = logPredictiveDensity.variance + white * white
    let blocked = free + configuration.nlosNoise * configuration.nlosNoise
    func normal(_ x: Double, _ variance: Double) -> Double { RangeLikelihood.normal(x, variance) }
    func prior(_ excess: Double) -> Double {
      let (near, far) = (configuration.nlosSpread, configuration.longNLOSSpread)
      return 2 * (1 - configuration.longNLOSProbability) * normal(excess, near * near)
        + 2 * configuration.longNLOSProbability * normal(excess, far * far)
    }
    let (count, step) = (40_000, 0.0005)
    var integral = 0.0
    for i in 0...count {
      let weight = (i == 0 || i == count ? 1.0 : i % 2 == 1 ? 4 : 2) * step / 3
      integral += weight * prior(Double(i) * step) * normal(innovation - Double(i) * step, blocked)
    }
    let expected = (1 - lost) * normal(innovation, free) + lost * integral
    // Of an excess within the usual sigma the long part, a fourteenth at most, is left out.
    #expect(abs(verdict.logDensity - log(expected)) < (error < 0.8 ? 0.08 : 0.01))
  }
}
