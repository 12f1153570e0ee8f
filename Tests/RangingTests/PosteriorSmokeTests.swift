import Evaluation
import Foundation
import Geometry
import Ranging
import RangingTestSupport
import SensorData
import Simulation
import TestSupport
import Testing

/// One trial of each law of RangingStatistics.
@Suite struct PosteriorSmokeTests {
  private static func filter(_ configuration: RangingConfiguration, _ trial: RangingTrial, stated: Double? = nil)
    -> PeerFilter
  {
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: stated)
    for reading in trial.readings { posterior.update(RangingPosterior.range(reading)) }
    return posterior
  }

  /// The Gaussian sum's azimuth is that of the exact posterior, to a fraction of its 1-sigma.
  @Test(arguments: [61, 62, 63] as [UInt64]) func theAzimuthIsThatOfTheExactPosterior(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let trial = RangingTrial(.arc, seconds: 6, random: &random)
    let posterior = Self.filter(RangingPosterior.matched, trial)
    var observer = IdealObserver(RangingPosterior.ideal)
    for reading in trial.readings { observer.update(range: reading.range, antenna: reading.device, after: 0.1) }
    let device = trial.readings[trial.readings.count - 1].device
    let view = try #require(
      IdealView(observer, worldFromDevice: Pose(rotation: HeldPhone.facingEast, translation: device)))
    // Facing east, the horizontal angle is minus the azimuth.
    let exact = -view.angle
    let found = RangingPosterior.azimuth(posterior, from: device)
    #expect(abs(Angle.wrapped(found.mean - exact)) < 0.3 * view.angleDeviation)
    #expect((0.7...1.4).contains(found.sigma / view.angleDeviation))
  }

  /// Not to know a radio costs some width, not the truth.
  @Test(arguments: [nil, 0.33, 3] as [Double?]) func anUnknownRadioCostsLittle(stated: Double?) {
    var random = SeededRandom(seed: 72)
    let radio = RangingTrial.Radio(white: 0.06, coloured: 0.06, memory: 2)
    let trial = RangingTrial(.arcAndVertical, seconds: 10, random: &random, radio: radio)
    var known = RangingConfiguration()
    known.noiseCandidates = [[radio.coloured, radio.memory]]
    known.assumedNoise = hypot(radio.white, radio.coloured)
    known.statedNoisePseudoCount = .infinity
    let device = trial.readings[trial.readings.count - 1].device, d = trial.peer - device
    let best = RangingPosterior.azimuth(Self.filter(known, trial), from: device)
    let found = RangingPosterior.azimuth(
      Self.filter(.init(), trial, stated: stated.map { $0 * known.assumedNoise }), from: device)
    #expect((0.7...1.6).contains(found.sigma / best.sigma))
    #expect(abs(Angle.wrapped(found.mean - atan2(d.y, d.x))) < 3.3 * found.sigma)
  }

  /// An unknown white radio widens the interval less than under equal priors.
  @Test func aWhiteRadioLosesLittle() {
    var alike = RangingConfiguration()
    alike.noiseCandidates[0].x = 0.02
    alike.whiteNoisePrior = 0.25
    var random = SeededRandom(seed: 74)
    let trial = RangingTrial(.arcAndVertical, seconds: 8, random: &random, radio: .init(white: 0.1, coloured: 0))
    let device = trial.readings[trial.readings.count - 1].device
    func sigma(_ configuration: RangingConfiguration) -> Double {
      RangingPosterior.azimuth(Self.filter(configuration, trial, stated: 0.1), from: device).sigma
    }
    #expect(sigma(.init()) < sigma(alike))
  }

  /// Errors of 0.2 m for 0.3 s: with candidates of two seconds only, such a radio passes for white, and the interval is
  /// narrower.
  @Test func shortCorrelationsWidenTheInterval() {
    var longOnly = RangingConfiguration()
    longOnly.noiseCandidates.removeAll { $0.y < 2 }
    longOnly.whiteNoisePrior = 4.0 / 7
    longOnly.posePrior = 0
    var random = SeededRandom(seed: 75)
    let trial = RangingTrial(.arc, seconds: 10, random: &random, radio: .init(white: 0.05, coloured: 0.2, memory: 0.3))
    let device = trial.readings[trial.readings.count - 1].device, d = trial.peer - device
    var withShort = RangingConfiguration()
    withShort.posePrior = 0
    let all = RangingPosterior.azimuth(Self.filter(withShort, trial), from: device)
    let without = RangingPosterior.azimuth(Self.filter(longOnly, trial), from: device)
    #expect(all.sigma > 1.05 * without.sigma)
    #expect(abs(Angle.wrapped(all.mean - atan2(d.y, d.x))) < 3.3 * all.sigma)
  }

  /// Two antennas whose trajectory is unknown tell nothing about the direction.
  @Test func anUnknownTrajectoryDoesNotBiasTheAntennas() {
    let antennas = ["a": Vector3(0.15, 0, 0), "b": Vector3(-0.15, 0, 0)]
    var random = SeededRandom(seed: 1)
    let peer = random.uniform(3...8) * random.direction()
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: ["a", "b"], statedNoise: nil)
    for i in 0..<40 {
      let id = i % 2 == 0 ? "a" : "b"
      var range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: Double(i) / 10),
        range: (peer - antennas[id]!).norm + 0.05 * random.gaussian(), antenna: antennas[id]!, device: .zero,
        antennaID: id)
      range.isVelocityKnown = false
      posterior.update(range)
    }
    let mean = posterior.gaussians.reduce(0) { $0 + $1.weight * $1.position.normalized.x }
    #expect(abs(mean) < 0.2)
  }
}
