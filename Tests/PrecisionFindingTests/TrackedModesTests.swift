import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import TestSupport
import Testing

/// A peer with several modes, each a state of the filter.
@Suite struct TrackedModesTests {
  typealias World = TrackedPeerTests.World

  /// A mode beside another: the same errors, reflected at the device's level.
  static func reflected(_ mode: PeerFilter.Mode, at level: Double) -> PeerFilter.Mode {
    var image = mode
    let n = mode.mean.count
    image.mean[2] = 2 * level - mode.mean[2]
    for k in 0..<n {
      image.covariance[2 * n + k] *= -1
      image.covariance[k * n + 2] *= -1
    }
    return image
  }

  /// The parts of a posterior are the whole: weights sum to one, and so do the means.
  @Test func modesAreThePosteriorInParts() throws {
    var world = World(seed: 21)
    let posterior = TrackedPeerTests.posterior(&world, ranges: 60)
    let device = world.filter.worldFromBody.translation
    let modes = try #require(posterior.modes(from: device, within: 0.1, most: 50))
    let whole = try #require(posterior.merged)
    #expect(modes.count > 1 && abs(modes.reduce(0) { $0 + $1.probability } - 1) < 1e-6)
    for k in whole.mean.indices {
      #expect(abs(modes.reduce(0) { $0 + $1.probability * $1.mean[k] } - whole.mean[k]) < 1e-5)
    }
    #expect(posterior.modes(from: device, within: 0.1, most: modes.count - 1) == nil)
  }

  /// Two modes that are one: the trajectory gains the information of one mode from a range, not twice as much.
  @Test func aRangeCountsOnce() throws {
    var variances: [[Double]] = []
    for copies in 1...2 {
      var world = World(seed: 22)
      let posterior = TrackedPeerTests.posterior(&world, ranges: 100)
      let whole = try #require(posterior.merged)
      var tracked = try #require(
        TrackedModes(
          [PeerFilter.Mode](repeating: whole, count: copies), of: posterior, filter: world.filter,
          configuration: TrackedPeerTests.matched, antennas: [""]))
      for _ in 0..<50 {
        let range = TrackedPeerTests.measurement(world, world.next())
        _ = tracked.update(range, [], antenna: .zero, filter: world.filter)
      }
      variances.append(world.filter.covariance.marginal([world.filter.poseBlock]))
      // Copies predict every range alike: their weights move only by the noise of the linearisation.
      #expect(tracked.modes.allSatisfy { abs($0.weight - 1 / Double(copies)) < 0.3 })
    }
    // Position and heading: two copies of half the weight give about as much; their errors are taken for independent,
    // which is worth some per cent.
    for k in [2, 3, 4, 5] {
      #expect(variances[1][7 * k] >= 0.9 * variances[0][7 * k])
      #expect(variances[1][7 * k] < 1.25 * variances[0][7 * k])
    }
  }

  /// The weights are those of two filters with one mode each, however improbable one of them has become. Its own
  /// errors, the radio's above all, are learnt as if it were right. Else the same error would contradict it with every
  /// range again.
  @Test(arguments: [0.5, 0.05, 0.95]) func weightsAreTheOddsOfTwoFilters(weight: Double) throws {
    var errors: [Double] = []
    for seed in 100..<116 {
      func world(_ weights: [(isImage: Bool, weight: Double)]) throws -> (World, TrackedModes) {
        var world = World(seed: UInt64(seed))
        let posterior = TrackedPeerTests.posterior(&world, ranges: 100)
        let whole = try #require(posterior.merged)
        let level = world.filter.worldFromBody.translation.z
        let candidates = weights.map { isImage, weight in
          var candidate = isImage ? Self.reflected(whole, at: level) : whole
          candidate.probability = weight
          return candidate
        }
        let tracked = try #require(
          TrackedModes(
            candidates, of: posterior, filter: world.filter, configuration: TrackedPeerTests.matched, antennas: [""]))
        return (world, tracked)
      }
      var (both, pair) = try world([(false, weight), (true, 1 - weight)])
      var (first, one) = try world([(false, 1)])
      var (second, other) = try world([(true, 1)])
      var odds = log(weight / (1 - weight))
      for _ in 0..<50 where pair.modes.count == 2 {
        _ = pair.update(TrackedPeerTests.measurement(both, both.next()), [], antenna: .zero, filter: both.filter)
        _ = one.update(TrackedPeerTests.measurement(first, first.next()), [], antenna: .zero, filter: first.filter)
        _ = other.update(TrackedPeerTests.measurement(second, second.next()), [], antenna: .zero, filter: second.filter)
        odds += try #require(one.logDensity) - #require(other.logDensity)
        guard pair.modes.count == 2, abs(odds) < 4 else { break }
        errors.append(abs(log(pair.modes[0].weight / pair.modes[1].weight) - odds))
      }
    }
    errors.sort()
    print("weights: \(errors.count) median \(errors[errors.count / 2]) largest \(errors.last ?? 0)")
    // In units of log odds: a fifth is a probability of 0.5 taken for 0.55, and one of 20 may be off by a factor of e.
    #expect(errors.count > 100 && errors[errors.count / 2] < 0.2)
    #expect(errors[errors.count * 95 / 100] < 1)
  }

  /// A reflection image loses its weight as soon as the ranges contradict it, and leaves the filter. Here it is given
  /// an even chance after the ranges have contradicted it once already, so that a few of the worlds may go wrong.
  @Test func theWrongModeIsDropped() throws {
    var (tried, right) = (0, 0)
    for seed in 30..<80 {
      var world = World(seed: UInt64(seed))
      let posterior = TrackedPeerTests.posterior(&world, ranges: 100)
      var truth = try #require(posterior.merged)
      let device = world.filter.worldFromBody.translation
      let candidate = Vector3(truth.mean[0], truth.mean[1], truth.mean[2])
      guard abs(candidate.z - device.z) > 1, (candidate - world.peer).norm < 0.5 else { continue }
      tried += 1
      truth.probability = 0.5
      var tracked = try #require(
        TrackedModes(
          [Self.reflected(truth, at: device.z), truth], of: posterior, filter: world.filter,
          configuration: TrackedPeerTests.matched, antennas: [""]))
      for _ in 0..<100 {
        let range = TrackedPeerTests.measurement(world, world.next())
        _ = tracked.update(range, [], antenna: .zero, filter: world.filter)
      }
      #expect(tracked.modes.count == 1)
      #expect(world.filter.covariance.dimension == 6 + truth.mean.count)
      let left = tracked.gaussians(filter: world.filter, origin: world.filter.worldFromBody.translation)
      right += (left[0].position - world.peer).norm < 1 ? 1 : 0
    }
    print("wrong modes: dropped in \(right) of \(tried)")
    #expect(tried >= 15)
    expectFrequency(right, of: tried, atLeast: 0.99)
  }

  /// An AoA from below resolves below from above at once.
  @Test func anAoAResolvesTheModes() throws {
    var world = World(seed: 41)
    let posterior = TrackedPeerTests.posterior(&world, ranges: 100)
    var truth = try #require(posterior.merged)
    let body = world.filter.worldFromBody
    truth.mean[2] = body.translation.z - 1.5
    truth.probability = 0.5
    var tracked = try #require(
      TrackedModes(
        [Self.reflected(truth, at: body.translation.z), truth], of: posterior, filter: world.filter,
        configuration: TrackedPeerTests.matched, antennas: [""]))
    let offset = Vector3(truth.mean[0], truth.mean[1], truth.mean[2]) - body.translation
    let cosine = DirectionCosine(axis: Vector3(0, 0, 1), cosine: offset.normalized.z, variance: 0.05 * 0.05)
    let range = RangeMeasurement(timestamp: world.time, peer: "tag", range: offset.norm)
    _ = tracked.update(range, [cosine], antenna: .zero, filter: world.filter)
    let likelier = tracked.modes.max { $0.weight < $1.weight }
    #expect((likelier?.weight ?? 0) > 0.8)
    let likelierGaussian = tracked.gaussians(filter: world.filter, origin: body.translation).max {
      $0.weight < $1.weight
    }
    #expect((likelierGaussian?.position.z ?? .infinity) < body.translation.z)
  }
}
