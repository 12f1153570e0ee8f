import Foundation
import Geometry
import Ranging
import Simulation
import TestSupport
import Testing

/// Radios of every kind under one default setting, with white noise estimated.
@Suite struct RadiosTests {
  /// Azimuth seen from the device: mean and 1-sigma, radians.
  static func azimuth(_ posterior: PeerFilter, from device: Vector3) -> (mean: Double, sigma: Double) {
    let parts = posterior.gaussians
    let mean = ExactPosteriorTests.azimuth(parts, from: device)
    let square = parts.reduce(0.0) { sum, part in
      let d = part.position - device, h = max(d.horizontalNorm, 1e-9)
      let across = Vector3(-d.y, d.x, 0) / h
      let off = Angle.wrapped(atan2(d.y, d.x) - mean)
      return sum + part.weight * (off * off + part.covariance.form(across, across) / (h * h))
    }
    return (mean, square.squareRoot())
  }

  /// The white noise is estimated within bounds whatever is stated: a coloured part between two candidates is
  /// represented by the larger one and less white noise.
  @Test(arguments: [0.03, 0.08, 0.2], [nil, 0.03, 0.3]) func whiteNoiseIsEstimated(white: Double, stated: Double?)
    throws
  {
    var random = SeededRandom(seed: 71)
    let radio = RangingTrial.Radio(white: white, coloured: 0.05)
    let trial = RangingTrial(.still, seconds: 30, random: &random, radio: radio)
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: stated)
    trial.readings.forEach { posterior.update(ExactPosteriorTests.range($0)) }
    let found = try #require(posterior.noise).white
    #expect((0.7...1.25).contains(found / white), "\(found)")
  }

  /// Stated total 1-sigma over the truth, and the allowed widening of intervals.
  @Test(arguments: [(nil, 1.15), (1, 1.11), (0.33, 1.15), (3, 1.3)] as [(Double?, Double)])
  func anUnknownRadioCostsLittle(stated: Double?, widest: Double) {
    var random = SeededRandom(seed: 72)
    func drawn(_ range: ClosedRange<Double>) -> Double {
      exp(random.uniform(log(range.lowerBound)...log(range.upperBound)))
    }
    var ratios: [Double] = [], held = 0
    for _ in 0..<120 {
      let radio = RangingTrial.Radio(white: drawn(0.02...0.2), coloured: drawn(0.02...0.2), memory: drawn(0.5...15))
      let trial = RangingTrial(.arcAndVertical, seconds: 10, random: &random, radio: radio)
      var known = RangingConfiguration()
      known.noiseCandidates = [[radio.coloured, radio.memory]]
      known.assumedNoise = hypot(radio.white, radio.coloured)
      known.statedNoisePseudoCount = .infinity
      let claim = stated.map { $0 * known.assumedNoise }
      var posteriors = [(known, nil), (RangingConfiguration(), claim)].map {
        PeerFilter(configuration: $0, antennas: [""], statedNoise: $1)
      }
      for reading in trial.readings { for i in 0..<2 { posteriors[i].update(ExactPosteriorTests.range(reading)) } }
      let device = trial.readings[trial.readings.count - 1].device
      let (best, estimate) = (Self.azimuth(posteriors[0], from: device), Self.azimuth(posteriors[1], from: device))
      guard best.sigma < Angle.degrees(10) else { continue }
      ratios.append(estimate.sigma / best.sigma)
      let d = trial.peer - device
      held += abs(Angle.wrapped(estimate.mean - atan2(d.y, d.x))) <= 1.645 * estimate.sigma ? 1 : 0
    }
    let ratio = ExactPosteriorTests.median(ratios), coverage = Double(held) / Double(ratios.count)
    print(
      "\(ratios.count) radios, stated \(stated ?? .nan): 1-sigma over that of known ones \(ratio), held \(coverage)")
    #expect(ratios.count >= 60)
    #expect(ratio <= widest)
    #expect(coverage >= 0.88)
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
      posterior.update(ExactPosteriorTests.range(reading))
    }
    #expect(posterior.count > 0)
  }
}
