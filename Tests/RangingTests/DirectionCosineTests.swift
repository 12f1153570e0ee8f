import Foundation
import Geometry
import Ranging
import RangingTestSupport
import SensorData
import Simulation
import TestSupport
import Testing

@Suite struct DirectionCosineTests {
  @Test func theGradientIsTheDerivative() {
    var random = SeededRandom(seed: 81)
    for _ in 0..<200 {
      let measured = DirectionCosine(axis: random.direction(), cosine: 0, variance: 1)
      let d = random.uniform(0.5...8) * random.direction()
      let numeric = FiniteDifferences.jacobian(inputs: 3) { [measured.model(d + Vector3($0[0], $0[1], $0[2])).cosine] }
      let gradient = measured.model(d).gradient
      #expect(FiniteDifferences.largestDifference([[gradient.x, gradient.y, gradient.z]], numeric) < 1e-6)
    }
  }

  /// A planar array measures the same cosines for the reflection image behind it; the measured angles are reproduced.
  @Test func planarArrayIsAmbiguousFrontToBack() {
    var random = SeededRandom(seed: 82)
    for _ in 0..<100 {
      let device = Rotation.yaw(random.uniform(-3...3))
      let (a, e) = (random.uniform(-0.8...0.8), random.uniform(-0.5...0.5))
      let cosines = DirectionCosine.measured(
        azimuth: a, elevation: e, deviation: 0.05, cone: 1.4, worldFromDevice: device)
      #expect(cosines.count == 2)
      for z in [-1.0, 1.0] {
        let u = device * Vector3(sin(a) * cos(e), sin(e), z * cos(a) * cos(e))
        for cosine in cosines { #expect(abs(cosine.model(4 * u).cosine - cosine.cosine) < 1e-12) }
      }
    }
    #expect(
      DirectionCosine.measured(azimuth: 1.2, elevation: 0, deviation: 0.05, cone: 1, worldFromDevice: .identity).isEmpty
    )
    #expect(
      DirectionCosine.measured(azimuth: nil, elevation: nil, deviation: 1, cone: 1, worldFromDevice: .identity).isEmpty)
  }

  /// An azimuth alone fits a peer at any elevation, and its reflection image behind; elsewhere the residual is that of
  /// the azimuth.
  @Test func azimuthAloneDoesNotObserveTheVertical() throws {
    var random = SeededRandom(seed: 85)
    for _ in 0..<200 {
      let device = Rotation.yaw(random.uniform(-3...3))
      let (a, e) = (random.uniform(-0.8...0.8), random.uniform(-1.2...1.2))
      let cosine = try #require(
        DirectionCosine.measured(azimuth: a, elevation: nil, deviation: 0.05, cone: 1.4, worldFromDevice: device).first)
      for z in [-1.0, 1.0] {
        func model(_ a: Double) -> Double {
          cosine.model(4 * (device * Vector3(sin(a) * cos(e), sin(e), z * cos(a) * cos(e)))).cosine
        }
        #expect(abs(model(a) - cosine.cosine) < 1e-12)
        #expect(abs(model(a + 0.1) - cos(e) * sin(0.1)) < 1e-12)
      }
      let d = random.uniform(0.5...8) * random.direction()
      let numeric = FiniteDifferences.jacobian(inputs: 3) { [cosine.model(d + Vector3($0[0], $0[1], $0[2])).cosine] }
      let gradient = cosine.model(d).gradient
      #expect(FiniteDifferences.largestDifference([[gradient.x, gradient.y, gradient.z]], numeric) < 1e-6)
    }
  }

  /// A peer high above a rotating device: with azimuths alone the truth keeps its probability.
  @Test func azimuthsOfAHighPeerAreConsistent() {
    var random = SeededRandom(seed: 86)
    let sigma = Angle.degrees(5)
    for _ in 0..<20 {
      let peer = Vector3(3, random.uniform(-1...1), 3)
      var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
      for k in 0..<60 {
        let t = 0.1 * Double(k)
        let device = Vector3(0.3 * cos(2 * t), 0.5 * sin(2 * t), 0.1 * sin(t))
        // Device axes in the world: x to the right of the world's x axis, y up, -z ahead.
        let axes = Rotation(
          matrix: Matrix3(rows: Vector3(0, 0, -1), Vector3(-1, 0, 0), Vector3(0, 1, 0)))
        let u = axes.inverse * (peer - device).normalized
        var range = PeerFilter.Range(
          timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t),
          range: (peer - device).norm + 0.05 * random.gaussian(), antenna: device, device: device)
        range.cosines = DirectionCosine.measured(
          azimuth: atan2(u.x, -u.z) + sigma * random.gaussian(), elevation: nil, deviation: sigma,
          cone: Angle.degrees(60),
          worldFromDevice: axes)
        posterior.update(range)
      }
      let azimuth = RangingPosterior.azimuth(posterior.gaussians, from: .zero)
      #expect(abs(Angle.wrapped(azimuth - atan2(peer.y, peer.x))) < Angle.degrees(15))
      // With the likelihood of the cosine instead of the angle, positions near the pole would fit best.
      let polar = posterior.gaussians.filter { abs($0.position.normalized.z) > sin(Angle.degrees(70)) }
      #expect(polar.reduce(0) { $0 + $1.weight } < 0.05)
    }
  }

  /// Variances of the cosines match those of sampled angles, to first order.
  @Test func variancesAreThoseOfAngles() {
    var random = SeededRandom(seed: 83)
    let (a, e, sigma) = (0.6, 0.3, 0.02)
    let claimed = DirectionCosine.measured(
      azimuth: a, elevation: e, deviation: sigma, cone: 1.4, worldFromDevice: .identity
    ).map(\.variance)
    var sums = [0.0, 0.0]
    let count = 20_000
    for _ in 0..<count {
      let drawn = DirectionCosine.measured(
        azimuth: a + sigma * random.gaussian(), elevation: e + sigma * random.gaussian(), deviation: sigma, cone: 1.5,
        worldFromDevice: .identity)
      for (k, true_) in [sin(a) * cos(e), sin(e)].enumerated() {
        sums[k] += (drawn[k].cosine - true_) * (drawn[k].cosine - true_)
      }
    }
    for k in 0..<2 { #expect(abs(sums[k] / Double(count) / claimed[k] - 1) < 0.05) }
  }

  /// Angles reduce the error of the direction, and the posterior contains the truth, also behind the device.
  @Test func anglesReduceTheErrorAndStayConsistent() {
    var random = SeededRandom(seed: 84)
    var configuration = RangingConfiguration()
    configuration.aoaCorrelationTime = 0.1
    let sigma = Angle.degrees(5)
    var (with, without, within) = ([Double](), [Double](), 0)
    let trials = 60
    for _ in 0..<trials {
      let trial = RangingTrial(.arc, seconds: 4, random: &random)
      var (angles, ranges) = (
        PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil),
        PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
      )
      for reading in trial.readings {
        var range = RangingPosterior.range(reading)
        ranges.update(range)
        let u = (trial.peer - reading.device).normalized
        range.cosines = [Vector3(0, 1, 0), Vector3(0, 0, 1)].map { axis in
          DirectionCosine(axis: axis, cosine: axis.dot(u) + sigma * random.gaussian(), variance: sigma * sigma)
        }
        angles.update(range)
      }
      let d = trial.peer - trial.readings.last!.device
      func error(_ posterior: PeerFilter) -> Double {
        abs(
          Angle.wrapped(
            RangingPosterior.azimuth(posterior.gaussians, from: trial.readings.last!.device) - atan2(d.y, d.x)))
      }
      with.append(error(angles))
      without.append(error(ranges))
      let near = angles.gaussians.filter {
        ($0.position - trial.readings.last!.device).normalized.dot(d.normalized) > cos(Angle.degrees(15))
      }
      if near.reduce(0, { $0 + $1.weight }) > 0.05 { within += 1 }
    }
    #expect(Statistics.median(with) < 0.6 * Statistics.median(without))
    #expect(within >= trials - 1, "the truth is alive in \(within) of \(trials)")
  }
}
