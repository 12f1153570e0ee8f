import Foundation
import Geometry
import SensorData
import Simulation
import SimulationTestSupport
import Testing

/// The radio's other errors and columns.
@Suite struct RadioTests {
  /// A stationary hand for half an hour, with one peer; no errors but those set by `change`.
  private static func stationary(_ change: (inout Scenario) -> Void) throws -> (ranges: [RangeMeasurement], Simulator) {
    let peer = Scenario.Peer(id: "a", position: Vector3(4, -2, 0.5))
    var scenario = Scenario(name: "rest", summary: "-", peers: [peer], motion: [.motion(.hold(duration: 1800))])
      .withoutErrors
    scenario.camera = nil
    scenario.imu.rate = 20
    change(&scenario)
    let simulator = try Simulator(scenario: scenario, seed: 8)
    return (simulator.ranges, simulator)
  }

  @Test func aScaleErrorStretchesTheDistance() throws {
    let (ranges, simulator) = try Self.stationary { $0.peers[0].rangeScale = -0.02 }
    for range in ranges.prefix(100) { #expect(abs(range.range - 0.98 * simulator.distance(range)) < 1e-8) }
  }

  @Test func antennasShareTheCommonDrift() throws {
    let (ranges, simulator) = try Self.stationary {
      $0.radio.antennas = ["a": .zero, "b": Vector3(0.1, 0, 0)]
      $0.radio.driftDeviation = 0.1
      $0.radio.driftTime = 1
      $0.radio.driftCommonShare = 0.3
    }
    let errors = ranges.map { $0.range - simulator.distance($0) }
    func covariance(lag: Int) -> Double {
      zip(errors, errors.dropFirst(lag)).map { $0 * $1 }.reduce(0, +) / Double(errors.count - lag)
    }
    // The antennas alternate. Half an hour contains about 900 independent values: a variance is known to a twentieth.
    #expect(abs(covariance(lag: 0) / 0.01 - 1) < 0.2)
    #expect(abs(covariance(lag: 1) / 0.01 - 0.3 * exp(-0.1)) < 0.15)
    #expect(abs(covariance(lag: 2) / 0.01 - exp(-0.2)) < 0.2)
  }

  @Test func everyAntennaHasItsOwnBias() throws {
    let (ranges, simulator) = try Self.stationary {
      $0.peers = (0..<60).map { Scenario.Peer(id: "\($0)", position: Vector3(4, -2, 0.5)) }
      $0.radio.rate = 0.1
      $0.radio.antennas = ["a": .zero, "b": Vector3(0.1, 0, 0)]
      $0.radio.antennaBias = 0.2
    }
    let errors = Dictionary(grouping: ranges) { $0.peer + $0.antenna! }
      .mapValues { $0.map { $0.range - simulator.distance($0) } }
    #expect(errors.count == 120)
    #expect(errors.values.allSatisfy { $0.max()! - $0.min()! < 1e-8 })
    let variance = errors.values.map { $0[0] * $0[0] }.reduce(0, +) / 120
    #expect(abs(variance / 0.04 - 1) < 4 * (2.0 / 120).squareRoot())
  }

  @Test func silenceComesInIntervals() throws {
    let (ranges, _) = try Self.stationary {
      $0.radio.silentShare = 0.3
      $0.radio.silentDwell = 0.5
    }
    let silentFraction = 1 - Double(ranges.count) / 18_000
    let steps = zip(ranges, ranges.dropFirst()).map { ($1.timestamp.seconds(since: $0.timestamp) * 10).rounded() }
    let gaps = steps.map { Int($0) - 1 }.filter { $0 > 0 }
    // n intervals of an alternating process: the fraction p has sigma p (1 - p) sqrt(2 / n). 1800 s contain about 1000.
    #expect(abs(silentFraction - 0.3) < 4 * 0.3 * 0.7 * (2 / Double(gaps.count)).squareRoot())
    // Per 0.1 s an interval ends with probability 0.7 (1 - exp(-0.1 / (0.5 * 0.7))): 5.7 samples.
    let expected = 1 / (0.7 * (1 - exp(-0.1 / 0.35)))
    let mean = Double(gaps.reduce(0, +)) / Double(gaps.count)
    #expect(abs(mean / expected - 1) < 4 / Double(gaps.count).squareRoot())
  }

  @Test func nothingArrivesBeyondReachOrCone() throws {
    #expect(try Self.stationary { $0.radio.reach = 4.4 }.ranges.isEmpty)
    #expect(try Self.stationary { $0.radio.reach = 4.7 }.ranges.count == 18_000)
    // 26.6 degrees to the right, 6.4 up; the camera points 5 down.
    #expect(try Self.stationary { $0.radio.cone = Angle.degrees(27) }.ranges.isEmpty)
    #expect(try Self.stationary { $0.radio.cone = Angle.degrees(32) }.ranges.count == 18_000)
  }

  /// Free space loses 6.02 dB with each doubling; in NLOS the first path loses more than all paths together.
  @Test func powerFallsWithDistanceAndInNLOS() throws {
    let (bare, simulator) = try Self.stationary { _ in }
    let losPower = -55 - 20 * log10(simulator.distance(bare[0]))
    #expect(bare.allSatisfy { $0.rssi == nil && $0.firstPathPower == nil })
    for isNLOS in [false, true] {
      let (ranges, _) = try Self.stationary {
        $0.radio.power = Scenario.Power(atOneMetre: -55)
        $0.hand.swayDeviation = 0
        $0.hand.tremorDeviation = 0
        if isNLOS { $0.walls = [Scenario.Wall(from: SIMD2(2, -6), to: SIMD2(2, 6), bottom: -3, top: 3)] }
      }
      let n = Double(ranges.count)
      for (values, loss) in [(ranges.map { $0.rssi! }, 4.0), (ranges.map { $0.firstPathPower! }, 10)] {
        let mean = values.reduce(0, +) / n
        let deviation = (values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / n).squareRoot()
        #expect(abs(mean - losPower + (isNLOS ? loss : 0)) < 4 / n.squareRoot() + 0.02)
        #expect(abs(deviation - 1) < 4 / (2 * n).squareRoot())
      }
    }
  }

  @Test func reportedNLOSHasItsErrorRate() throws {
    let (ranges, _) = try Self.stationary {
      $0.radio.nlosReportErrorShare = 0.2
      $0.radio.nlosShare = 0.3
      $0.radio.nlosBias = 5
    }
    let wrong = ranges.count { ($0.range > 4.7) != ($0.nonLineOfSight == 1) }
    let n = Double(ranges.count)
    // An NLOS bias below 0.2 m counts as LOS here: 4 % of the NLOS ranges.
    #expect(abs(Double(wrong) / n - 0.2) < 4 * (0.16 / n).squareRoot() + 0.3 * 0.04)
    #expect(try Self.stationary { _ in }.ranges.allSatisfy { $0.nonLineOfSight == nil })
  }

  /// A planar array cannot distinguish a peer behind it from its reflection; its noise grows towards its plane.
  @Test func planarArraysReflectPeersBehind() throws {
    var scenario = try Scenario.named("aoa").withoutErrors
    scenario.radio.angles?.noise = 1e-9
    let exact = try Simulator(scenario: scenario, seed: 2)
    var reflected = 0
    for range in exact.ranges {
      guard let azimuth = range.azimuth, let elevation = range.elevation else { continue }
      let u = exact.ray(range)
      let read = Vector3(sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
      #expect((read - Vector3(u.x, u.y, -abs(u.z))).norm < 1e-6)
      if u.z > 0 { reflected += 1 }
    }
    #expect(reflected > 30)
    var squares = 0.0
    var count = 0.0
    for seed in 1...20 {
      var scenario = try Scenario.named("aoa").withoutErrors
      scenario.camera = nil
      let simulator = try Simulator(scenario: scenario, seed: UInt64(seed))
      for range in simulator.ranges {
        guard let azimuth = range.azimuth, let deviation = range.angleStandardDeviation else { continue }
        let u = simulator.ray(range)
        #expect(abs(deviation - Angle.degrees(4) / max(abs(u.z), 0.1)) < 1e-6)
        squares += pow((azimuth - atan2(u.x, abs(u.z))) / deviation, 2)
        count += 1
      }
    }
    #expect(abs((squares / count).squareRoot() - 1) < 4 / (2 * count).squareRoot())
  }

  /// A wrong mount or sign of the array rotates or reflects the reported azimuth; the elevation is unchanged.
  @Test func rotatedAndReflectedArraysChangeTheAzimuthOnly() throws {
    var scenario = try Scenario.named("aoa").withoutErrors
    scenario.radio.angles?.noise = 1e-9
    let right = try Simulator(scenario: scenario, seed: 2).ranges
    scenario.radio.angles?.yawOffset = Angle.degrees(30)
    let rotated = try Simulator(scenario: scenario, seed: 2).ranges
    scenario.radio.angles?.yawOffset = 0
    scenario.radio.angles?.isReflected = true
    let reflected = try Simulator(scenario: scenario, seed: 2).ranges
    #expect(right.contains { $0.azimuth != nil })
    for (right, (rotated, reflected)) in zip(right, zip(rotated, reflected)) {
      #expect(rotated.range == right.range && rotated.elevation == right.elevation)
      #expect((rotated.azimuth == nil) == (right.azimuth == nil))
      guard let azimuth = right.azimuth else { continue }
      #expect(abs(Angle.wrapped(try #require(rotated.azimuth) - azimuth + Angle.degrees(30))) < 1e-9)
      #expect(try #require(reflected.azimuth) == -azimuth)
    }
  }

  /// Ahead nothing, behind all of it, half at the edge's middle; above there is no body.
  @Test func theShadowLengthensRangesBehind() throws {
    let cases: [(degrees: Double, up: Double, share: Double)] = [
      (0, 0, 0), (80, 0, 0), (-80, 0, 0), (92, 0, 0), (100, 0, 0.5), (-100, 0, 0.5), (103.75, 0, 0.84375), (108, 0, 1),
      (-150, 0, 1), (180, 0, 1), (180, 3 * tan(Angle.degrees(60)), 1), (180, 3 * tan(Angle.degrees(80)), 0.5),
      (0, 3 * tan(Angle.degrees(80)), 0),
    ]
    let peers = cases.enumerated().map { index, place in
      let azimuth = Angle.degrees(place.degrees)
      return Scenario.Peer(id: "\(index)", position: Vector3(3 * cos(azimuth), 3 * sin(azimuth), place.up))
    }
    let (ranges, simulator) = try Self.stationary {
      $0.peers = peers
      for index in peers.indices { $0.peers[index].rangeBias = 0 }
      $0.motion = [.motion(.hold(duration: 1))]
      $0.hand.swayAngleDeviation = 0
      $0.hand.tremorAngleDeviation = 0
      $0.hand.swayDeviation = 0
      $0.hand.tremorDeviation = 0
      $0.radio.antennas = ["": .zero]
      $0.radio.shadow = .init(excess: 0.4)
    }
    for range in ranges {
      let index = try #require(Int(range.peer))
      let excess = range.range - simulator.scenario.peers[index].position.norm
      // Overhead by 80 degrees the peer is 100 degrees from ahead, and half in the shadow.
      #expect(abs(excess - 0.4 * cases[index].share) < 1e-6, "\(cases[index])")
    }
    #expect(Set(ranges.map(\.peer)).count == cases.count)
  }

  /// Errors bound to the pose have draws of their own: other errors and lost ranges leave them as they are.
  @Test func errorsOfThePoseHaveTheirOwnDraws() throws {
    var scenario = try Scenario.named("two-peers")
    scenario.camera = nil
    scenario.radio.dropoutShare = 0
    func ranges(_ change: (inout Scenario.Radio) -> Void) throws -> [String: Double] {
      var changed = scenario
      change(&changed.radio)
      let ranges = try Simulator(scenario: changed, seed: 1).ranges
      return Dictionary(uniqueKeysWithValues: ranges.map { ("\($0.timestamp) \($0.peer)", $0.range) })
    }
    func pose(_ radio: inout Scenario.Radio) {
      radio.multipathDeviation = 0.1
      radio.multipathAngle = 0.5
      radio.patternDeviation = 0.05
      radio.shadow = .init(excess: 0.3)
    }
    func other(_ radio: inout Scenario.Radio) {
      radio.rangeNoise = 0.3
      radio.nlosShare = 0.4
      radio.dropoutShare = 0.2
    }
    let (plain, bound) = (try ranges { _ in }, try ranges(pose))
    let noisy = try ranges(other)
    let both = try ranges {
      pose(&$0)
      other(&$0)
    }
    #expect(plain.count == bound.count && noisy.count == both.count && noisy.count < plain.count)
    var largest = 0.0
    for (key, value) in both {
      let error = try #require(bound[key]) - (try #require(plain[key]))
      #expect(abs(value - (try #require(noisy[key])) - error) < 1e-9)
      largest = max(largest, abs(error))
    }
    #expect(largest > 0.1)
  }

  /// One setting does not shift the numbers of another: whatever is switched on, the ranges stay what they were.
  @Test func otherErrorsDoNotShiftTheRanges() throws {
    var scenario = try Scenario.named("two-peers")
    scenario.camera = nil
    let before = Set(try Simulator(scenario: scenario, seed: 1).ranges.map { "\($0.timestamp) \($0.range)" })
    let changes: [(inout Scenario) -> Void] = [
      { $0.radio.silentShare = 0.3 }, { $0.radio.power = Scenario.Power(atOneMetre: -60) },
      { $0.radio.nlosReportErrorShare = 0.3 }, { $0.radio.angles = Scenario.Angles(noise: 0.1) },
      { $0.radio.reach = 4 },
      { $0.imu.stampJitter = 0.001 }, { $0.imu.gyroscopeTriad.scale = 0.1 },
      { $0.events = [Scenario.Event(time: 3, name: "suspend")] },
    ]
    for change in changes {
      var changed = scenario
      change(&changed)
      let after = try Simulator(scenario: changed, seed: 1).ranges.map { "\($0.timestamp) \($0.range)" }
      #expect(!after.isEmpty && before.isSuperset(of: after))
    }
  }
}
