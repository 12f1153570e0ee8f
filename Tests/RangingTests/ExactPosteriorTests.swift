import Geometry
import Ranging
import RangingTestSupport
import SensorData
import Simulation
import TestSupport
import Testing

/// The Gaussian sum against the exact posterior on the same draws, with the same model.
@Suite struct ExactPosteriorTests {
  /// `merged` has the mean and the covariance of the `gaussians`.
  @Test func mergedHasTheMomentsOfTheSum() throws {
    var random = SeededRandom(seed: 63)
    for motion in [RangingTrial.Motion.arc, .sway] {
      let trial = RangingTrial(motion, seconds: 4, random: &random)
      var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
      trial.readings.forEach { posterior.update(RangingPosterior.range($0)) }
      let merged = try #require(posterior.merged)
      let parts = posterior.gaussians
      let total = parts.reduce(0) { $0 + $1.weight }
      #expect(abs(total - 1) < 0.01)
      let mean = parts.reduce(Vector3.zero) { $0 + $1.weight * $1.position }
      var covariance = Matrix3.zero
      for g in parts {
        let d = g.position - mean
        covariance += g.weight * (g.covariance + Matrix3(outer: d, d))
      }
      let n = merged.mean.count
      // Components below 1e-5 are left out: up to a hundredth of the spread may be missing.
      let size = covariance.trace
      for r in 0..<3 {
        #expect(abs(mean[r] - merged.mean[r]) < 0.01 * size.squareRoot())
        for c in 0..<3 { #expect(abs(covariance[r, c] - merged.covariance[r * n + c]) < 0.02 * size) }
      }
    }
  }

  /// One outlier among the first three ranges does not anchor the components at a wrong distance.
  @Test(arguments: [0, 1, 2])
  func anInitialOutlierDoesNotAnchor(outlier: Int) {
    var random = SeededRandom(seed: 64 + UInt64(outlier))
    for error in [4.9, 20, -2.5] {
      for _ in 0..<5 {
        var trial = RangingTrial(.arc, seconds: 2, random: &random)
        trial.readings[outlier].range = max(trial.readings[outlier].range + error, 0)
        var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
        trial.readings.forEach { posterior.update(RangingPosterior.range($0)) }
        let device = trial.readings.last!.device
        let distance = posterior.gaussians.reduce(0) { $0 + $1.weight * ($1.position - device).norm }
        // Three sigma of the constant bias plus the other errors.
        #expect(abs(distance - (trial.peer - device).norm) < 0.5)
      }
    }
  }

  /// Components of a device with two antennas are larger, so there are fewer.
  @Test func largerComponentsAreFewer() {
    var random = SeededRandom(seed: 67)
    let trial = RangingTrial(.arc, seconds: 4, random: &random)
    let most = [[""], ["a", "b"]].map { antennas in
      var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: antennas, statedNoise: nil)
      return trial.readings.reduce(0) { most, reading in
        posterior.update(RangingPosterior.range(reading))
        return max(most, posterior.count)
      }
    }
    let one = RangingConfiguration().hypothesisLimit
    #expect(most[0] > most[1] && most[0] <= one + 8)
    // The minimum is a hundred directions under each noise candidate, LOS and NLOS; with so many candidates there are
    // hardly more.
    let configuration = RangingConfiguration()
    let fewest = 200 * (configuration.noiseCandidates.count + configuration.poseCandidates.count)
    print("most hypotheses with one antenna \(most[0]), with two \(most[1])")
    #expect(most[1] >= fewest && most[1] < fewest * 11 / 10)
  }

  /// While the device is stationary no directions are spawned, and all have the same probability; as soon as it has
  /// moved all are spawned.
  @Test func aStationaryDeviceSpawnsNoDirections() throws {
    var random = SeededRandom(seed: 66)
    let trial = RangingTrial(.still, seconds: 3, peer: Vector3(3, -3, 1), random: &random)
    let configuration = RangingConfiguration()
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    trial.readings.forEach { posterior.update(RangingPosterior.range($0)) }
    #expect(posterior.count <= 2 * (configuration.noiseCandidates.count + configuration.poseCandidates.count))
    let parts = posterior.gaussians
    let mean = parts.reduce(Vector3.zero) { $0 + $1.weight * $1.position.normalized }
    #expect(mean.norm < 0.05, "no side is taken")
    let distance = parts.reduce(0) { $0 + $1.weight * $1.position.norm }
    #expect(abs(distance - trial.peer.norm) < 0.5)
    let merged = try #require(posterior.merged)
    #expect(merged.covariance[0] > 4, "a sphere of over four metres' radius has a wide covariance")
    let moved = Vector3(0.1, 0, 0)
    posterior.update(
      .init(
        timestamp: Timestamp(nanoseconds: 3_100_000_000), range: (trial.peer - moved).norm, antenna: moved,
        device: moved)
    )
    #expect(posterior.count > configuration.directions)
  }

  /// Equal ranges give equal bits.
  @Test func runsAreDeterministic() {
    var random = SeededRandom(seed: 65)
    let trial = RangingTrial(.arcAndVertical, seconds: 3, random: &random)
    let runs = (0..<2).map { _ in
      var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: 0.1)
      trial.readings.forEach { posterior.update(RangingPosterior.range($0)) }
      return posterior.gaussians
    }
    #expect(runs[0] == runs[1] && !runs[0].isEmpty)
  }

  /// Impossible ranges, hundreds at one time, a year without ranges: finite, and never without a component.
  @Test func extremeRangesLeaveEverythingFinite() {
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
    var time = Timestamp(nanoseconds: 0)
    func check() {
      #expect(posterior.count > 0 && !posterior.gaussians.isEmpty)
      for g in posterior.gaussians {
        #expect(g.weight.isFinite && g.position.isFinite && g.covariance.trace.isFinite)
      }
    }
    for range in [0, 0, 0, 5, 1e6, 0, 1e6, 5, 5, 5] {
      posterior.update(.init(timestamp: time, range: range, antenna: .zero, device: .zero))
      time = time.advanced(bySeconds: 0.1)
    }
    check()
    for k in 0..<300 {
      let position = Vector3(1e-3 * Double(k), 0, 0)
      posterior.update(.init(timestamp: time, range: 5, antenna: position, device: position))
    }
    check()
    posterior.update(.init(timestamp: time.advanced(bySeconds: 3.2e7), range: 3, antenna: .zero, device: .zero))
    check()
    posterior.drift(position: 1e12 * Matrix3.identity, yawVariance: 10, device: .zero)
    let far = Vector3(1e6, 0, 0)
    posterior.update(.init(timestamp: time.advanced(bySeconds: 3.2e7), range: 3, antenna: far, device: far))
    check()
  }
}
