import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import Testing

/// The hand-over from hypotheses to a state of the filter, against truth over many worlds.
@Suite struct TrackedPeerTests {
  /// A moving device with drifting odometry and ranges to one peer, all errors as modelled.
  struct World {
    static let (white, coloured, constant, memory) = (0.05, 0.08, 0.1, 2.0)
    let calibration = OdometryCalibration(positionRandomWalk: 0.03, yawRandomWalk: 0.01)
    let peer: Vector3
    let filter: OdometryFilter
    private var random: SeededRandom
    private var heading = 0.0
    private var odometry: Pose
    private var drifting: Double
    private let bias: Double
    private(set) var step = 0

    static func path(_ t: Double) -> Pose {
      Pose(
        rotation: .yaw(0.3 * sin(0.7 * t)),
        translation: Vector3(1.2 * sin(0.9 * t), 1.2 - 1.2 * cos(0.6 * t), 0.5 * sin(1.3 * t)))
    }

    init(seed: UInt64) {
      random = SeededRandom(seed: seed)
      peer = random.uniform(3...6) * (random.direction() * Vector3(1, 1, 0.5)).normalized
      bias = Self.constant * random.gaussian()
      drifting = Self.coloured * random.gaussian()
      odometry = Self.path(0)
      filter = OdometryFilter(
        calibration: calibration, first: OdometryPose(timestamp: .init(nanoseconds: 0), worldFromSensor: odometry))
    }

    var time: Timestamp { Timestamp(nanoseconds: Int64(step) * 100_000_000) }
    /// The true pose of the device.
    var truth: Pose { Self.path(0.1 * Double(step)) }

    /// A tenth of a second: the odometry errs, the filter follows, a range is taken.
    mutating func next() -> Double {
      let before = truth
      step += 1
      let moved = truth.translation - before.translation
      heading += calibration.yawRandomWalk * 0.1.squareRoot() * random.gaussian()
      let rotation = Rotation.yaw(heading)
      odometry = Pose(
        rotation: rotation * truth.rotation,
        translation: odometry.translation + rotation * moved
          + calibration.positionRandomWalk * moved.norm.squareRoot() * random.gaussian3())
      filter.append(OdometryPose(timestamp: time, worldFromSensor: odometry))
      _ = filter.advance(to: time)
      let phi = exp(-0.1 / Self.memory)
      drifting = phi * drifting + Self.coloured * (1 - phi * phi).squareRoot() * random.gaussian()
      return (peer - truth.translation).norm + bias + drifting + Self.white * random.gaussian()
    }
  }

  static let matched: RangingConfiguration = {
    var configuration = RangingConfiguration()
    configuration.noiseCandidates = [[World.coloured, World.memory]]
    configuration.assumedNoise = hypot(World.white, World.coloured)
    configuration.statedNoisePseudoCount = .infinity
    configuration.biasPrior = World.constant
    configuration.correlationLength = 1e9
    configuration.scalePrior = 1e-4
    configuration.peerRandomWalk = 0
    return configuration
  }()

  /// The posterior after the first `ranges` ranges of a world.
  static func posterior(_ world: inout World, ranges: Int) -> PeerFilter {
    var posterior = PeerFilter(configuration: matched, antennas: [""], statedNoise: nil)
    var drift = world.filter.accumulatedDrift
    for _ in 0..<ranges {
      let range = world.next()
      let lost = world.filter.accumulatedDrift - drift
      drift = world.filter.accumulatedDrift
      let device = world.filter.worldFromBody.translation
      posterior.drift(position: lost.position, yawVariance: lost.yaw, device: device)
      posterior.update(.init(timestamp: world.time, range: range, antenna: device, device: device))
    }
    return posterior
  }

  /// The world after `ranges` ranges, with the peer augmented.
  static func augmented(_ world: inout World, ranges: Int) -> TrackedPeer? {
    let posterior = posterior(&world, ranges: ranges)
    return posterior.merged.flatMap {
      TrackedPeer($0, of: posterior, filter: world.filter, configuration: matched, antennas: [""])
    }
  }

  /// Normalised squared error of the peer relative to the device, and in the world; 3 each on average.
  static func errors(_ tracked: TrackedPeer, _ world: World) -> (relative: Double, absolute: Double) {
    let device = world.filter.worldFromBody
    let g = tracked.gaussian(filter: world.filter, origin: device.translation)
    let dt = world.peer - g.position
    let dp = world.truth.translation - device.translation
    let theta = (world.truth.rotation * device.rotation.inverse).log
    let e = dt - dp - theta.cross(g.position - device.translation)
    let information = tracked.worldCovariance(filter: world.filter).inverse ?? .zero
    return ((g.covariance.inverse ?? .zero).form(e, e), information.form(dt, dt))
  }

  static func measurement(_ world: World, _ range: Double) -> RangeMeasurement {
    RangeMeasurement(timestamp: world.time, peer: "tag", range: range)
  }

  /// Long after the hand-over the coloured errors of two antennas have the variance and correlation of the link's
  /// model.
  @Test func antennaErrorsAreCorrelatedAsInTheSearch() throws {
    var world = World(seed: 7)
    var posterior = PeerFilter(configuration: Self.matched, antennas: ["a", "b"], statedNoise: nil)
    for i in 0..<60 {
      let range = world.next()
      let device = world.filter.worldFromBody.translation
      posterior.update(
        .init(timestamp: world.time, range: range, antenna: device, device: device, antennaID: i % 2 == 0 ? "a" : "b"))
    }
    var tracked = try #require(
      posterior.merged.flatMap {
        TrackedPeer($0, of: posterior, filter: world.filter, configuration: Self.matched, antennas: ["a", "b"])
      })
    let later = world.time.advanced(bySeconds: 1000)
    tracked.predict(
      RangeMeasurement(timestamp: later, peer: "tag", range: 4, antenna: "a"), antenna: .zero, filter: world.filter)
    let p = world.filter.covariance.marginal([tracked.block])
    let layout = LinkLayout(antennas: ["a", "b"])
    let (a, b) = (layout.coloured.lowerBound, layout.coloured.lowerBound + 1)
    let variance = World.coloured * World.coloured
    #expect(abs(p[a * layout.dimension + a] - variance) < 1e-9)
    #expect(abs(p[b * layout.dimension + b] - variance) < 1e-9)
    #expect(abs(p[a * layout.dimension + b] - Self.matched.antennaCorrelation * variance) < 1e-9)
  }

  /// At the hand-over and 10 s later the errors match the joint covariance. The band is 99 % of a chi-square mean over
  /// 100 worlds (2.4 ... 3.65), widened by a quarter for nonlinearity.
  @Test func errorsMatchTheJointCovariance() throws {
    var (relative, absolute) = ([0.0, 0.0], [0.0, 0.0])
    let worlds = 100
    for seed in 0..<worlds {
      var world = World(seed: 1000 + UInt64(seed))
      var tracked = try #require(Self.augmented(&world, ranges: 100))
      for late in 0..<2 {
        if late == 1 {
          for _ in 0..<100 {
            let range = world.next()
            _ = tracked.process(Self.measurement(world, range), filter: world.filter)
          }
        }
        let found = Self.errors(tracked, world)
        relative[late] += found.relative / Double(worlds)
        absolute[late] += found.absolute / Double(worlds)
      }
    }
    for late in 0..<2 {
      #expect(relative[late] > 1.8 && relative[late] < 4.6, "relative \(relative), absolute \(absolute)")
      #expect(absolute[late] > 1.8 && absolute[late] < 4.6, "relative \(relative), absolute \(absolute)")
    }
  }

  /// In the world the peer is less certain than from the device, and both share the device's error.
  @Test func augmentationCarriesTheDevicesError() throws {
    var world = World(seed: 7)
    let tracked = try #require(Self.augmented(&world, ranges: 100))
    let g = tracked.gaussian(filter: world.filter, origin: world.filter.worldFromBody.translation)
    let difference = tracked.worldCovariance(filter: world.filter) - g.covariance
    #expect(difference.trace > 0)
    tracked.remove(from: world.filter)
    #expect(world.filter.covariance.dimension == 6)
  }

  /// An outlying range after a long silence moves nothing but time: the coloured bias has decayed.
  @Test func theColouredBiasForgets() throws {
    var world = World(seed: 8)
    var tracked = try #require(Self.augmented(&world, ranges: 100))
    let block = try #require(world.filter.covariance.blocks.last)
    let later = world.time.advanced(bySeconds: 1000)
    let here = OdometryPose(timestamp: later, worldFromSensor: world.filter.worldFromNavigation)
    world.filter.append(here)
    #expect(world.filter.advance(to: later))
    let outlier = RangeMeasurement(timestamp: later, peer: "tag", range: 60)
    #expect(tracked.process(outlier, filter: world.filter) == .rejected)
    let (value, p) = (world.filter.vector(block), world.filter.covariance.marginal([block]))
    #expect(abs(value[5]) < 1e-9)
    #expect(abs(p[5 * value.count + 5] - World.coloured * World.coloured) < 1e-4)
  }

  /// Three ranges in a row that are metres too short cannot be NLOS; three too long ones can.
  @Test func shortRangesContradictAndLongOnesAreNLOS() throws {
    for (error, contradicted) in [(-2.0, true), (2.0, false)] {
      var world = World(seed: 9)
      var tracked = try #require(Self.augmented(&world, ranges: 100))
      var outcomes: [TrackedPeer.Outcome] = []
      for _ in 0..<3 {
        let range = world.next() + error
        outcomes.append(tracked.process(Self.measurement(world, range), filter: world.filter))
      }
      #expect(outcomes == [.rejected, .rejected, contradicted ? .contradicted : .rejected])
    }
  }

  /// A peer that left gives ranges too long for good: after three seconds the state is contradicted.
  @Test func aPeerThatLeftIsContradicted() throws {
    var world = World(seed: 10)
    var tracked = try #require(Self.augmented(&world, ranges: 100))
    var outcome = TrackedPeer.Outcome.used
    for _ in 0..<40 where outcome != .contradicted {
      let range = world.next() + 3
      outcome = tracked.process(Self.measurement(world, range), filter: world.filter)
    }
    #expect(outcome == .contradicted)
  }

  /// The coloured noise of a found peer's link has the floor `foundPeerNoise`.
  @Test(arguments: [(0.0, World.coloured), (0.04, World.coloured), (0.2, 0.2)])
  func itsColouredNoiseHasAFloor(least: Double, coloured: Double) throws {
    var world = World(seed: 12)
    let posterior = Self.posterior(&world, ranges: 100)
    var configuration = Self.matched
    configuration.foundPeerNoise = least
    let tracked = try #require(
      posterior.merged.flatMap {
        TrackedPeer($0, of: posterior, filter: world.filter, configuration: configuration, antennas: [""])
      })
    #expect(abs(tracked.noise.coloured - coloured) < 1e-9 && abs(tracked.noise.white - World.white) < 1e-9)
  }

  /// Removed from the filter, a tracked peer is the same Gaussian.
  @Test func itsHypothesesAreTheSamePosterior() throws {
    var world = World(seed: 11)
    let tracked = try #require(Self.augmented(&world, ranges: 100))
    let device = world.filter.worldFromBody.translation
    let last = PeerFilter.Range(timestamp: world.time, range: 4, antenna: device, device: device)
    let posterior = PeerFilter(
      [tracked.part(weight: 1, filter: world.filter)], last: last, noise: tracked.noise, nlosRate: tracked.nlosRate,
      configuration: Self.matched, layout: LinkLayout(antennas: [""]))
    let there = tracked.gaussian(filter: world.filter, origin: device)
    for part in posterior.gaussians + posterior.moving.stationary.gaussians {
      #expect((part.position - there.position).norm < 1e-9 && abs(part.scale - there.scale) < 1e-12)
      for r in 0..<3 { for c in 0..<3 { #expect(abs(part.covariance[r, c] - there.covariance[r, c]) < 1e-9) } }
    }
    // Moving, it is where it was, and after two seconds as far off as its speed takes it.
    let later = try #require(posterior.moving.gaussians(after: 2).first)
    let gone = later.covariance.trace - there.covariance.trace
    #expect((later.position - there.position).norm < 1e-9 && gone > 2 && gone < 6)
  }
}

extension TrackedPeer {
  /// A range, with a single mode.
  fileprivate mutating func process(_ range: RangeMeasurement, filter: any NavigationFilter) -> Outcome {
    predict(range, antenna: .zero, filter: filter)
    return update(range, antenna: .zero, filter: filter)
  }
}
