import Foundation
import Geometry
import SensorData
import Simulation
import SimulationTestSupport
import Testing

/// Errors that are bound to the pose and to the direction in the device, over many draws.
@Suite struct PoseErrorStatistics {
  /// A device without tremor whose antenna is its origin.
  private static func still(_ peers: [Scenario.Peer], _ motion: [HandMotion]) -> Scenario {
    var scenario = Scenario(name: "poses", summary: "-", peers: peers, motion: motion.map { .motion($0) }).withoutErrors
    scenario.camera = nil
    scenario.imu.rate = 20
    scenario.hand.swayDeviation = 0
    scenario.hand.swayAngleDeviation = 0
    scenario.hand.tremorDeviation = 0
    scenario.hand.tremorAngleDeviation = 0
    scenario.radio.antennas = ["": .zero]
    scenario.radio.rate = 1
    return scenario
  }

  private static func correlation(_ a: [Double], _ b: [Double]) -> Double {
    func mean(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } / Double(a.count) }
    return mean(a, b) / (mean(a, a) * mean(b, b)).squareRoot()
  }

  /// The same pose, turned by 45 degrees, the same pose again, half a metre away: a field for each of 3000 peers, whose
  /// correlations have a 1-sigma of at most 0.018.
  @Test(arguments: [nil, 20, 28], [0, 0.07])
  func fieldsCorrelateAsStated(_ degrees: Double?, noise: Double) throws {
    let away = HandMotion.walk(distance: 0.5, speed: 0.5, heading: 0, bob: 0, stepRate: 2)
    let turn = { HandMotion.turn(duration: 1, angle: $0, arm: 0) }
    let hold = HandMotion.hold(duration: 2.1)
    let peers = (0..<3000).map { Scenario.Peer(id: "\($0)", position: Vector3(4, -2, 0.5)) }
    var scenario = Self.still(peers, [hold, turn(.pi / 4), hold, turn(-.pi / 4), hold, away, hold])
    scenario.radio.rangeNoise = noise
    scenario.radio.multipathDeviation = 0.1
    scenario.radio.multipathLength = 0.3
    scenario.radio.multipathAngle = degrees.map(Angle.degrees)
    let simulator = try Simulator(scenario: scenario, seed: 5)
    let end = simulator.motion.duration
    let byPeer = Dictionary(grouping: simulator.ranges, by: \.peer)
    /// The first error of each peer after a time.
    func errors(after time: Double) throws -> [Double] {
      try peers.map { peer in
        let range = byPeer[peer.id]?.first { $0.timestamp.seconds(since: Simulator.start) >= time }
        return simulator.distance(try #require(range)) * -1 + (try #require(range)).range
      }
    }
    let (first, turned, back, moved) = (
      try errors(after: 0), try errors(after: 3.1), try errors(after: 6.2), try errors(after: end - 2.1)
    )
    let field = 0.01 / (0.01 + noise * noise)
    let deviation = (first.reduce(0) { $0 + $1 * $1 } / Double(first.count)).squareRoot()
    #expect(abs(deviation / (0.01 / field).squareRoot() - 1) < 0.06)
    let turnedBy45 = degrees.map { exp(-(1 - cos(Double.pi / 4)) / pow(Angle.degrees($0), 2)) } ?? 1
    for (other, expected) in [(back, 1), (turned, turnedBy45), (moved, exp(-0.25 / 0.18))] {
      #expect(abs(Self.correlation(first, other) - field * expected) < 0.075)
    }
  }

  /// A field moves with its peer, too: a peer that walks half a metre has another error at the same place.
  @Test func fieldsChangeWithThePeersPlace() throws {
    let peers = (0..<3000).map {
      var peer = Scenario.Peer(id: "\($0)", position: Vector3(4, -2, 0.5))
      peer.path = [.init(time: 1.2...2, displacement: Vector3(0, 0.5, 0))]
      return peer
    }
    var scenario = Self.still(peers, [.hold(duration: 3.2)])
    scenario.radio.multipathDeviation = 0.1
    let simulator = try Simulator(scenario: scenario, seed: 6)
    let errors = Dictionary(grouping: simulator.ranges, by: \.peer).mapValues {
      $0.map { $0.range - simulator.distance($0) }
    }
    #expect(errors.values.allSatisfy { $0.count >= 3 })
    let correlation = Self.correlation(errors.values.map { $0[0] }, errors.values.map { $0[$0.count - 1] })
    #expect(abs(correlation - exp(-0.25 / 0.18)) < 0.075)
  }

  /// A pattern is one function of the direction for all peers of a device, and another one for each device: Legendre's
  /// polynomials of the angle between two directions, over 2000 devices.
  @Test func patternsCorrelateAsStated() throws {
    func peer(_ id: String, _ degrees: Double, _ distance: Double = 3) -> Scenario.Peer {
      let azimuth = Angle.degrees(degrees)
      return Scenario.Peer(id: id, position: distance * Vector3(cos(azimuth), sin(azimuth), 0))
    }
    var scenario = Self.still(
      [peer("0", 0), peer("far", 0, 8), peer("30", 30), peer("90", 90), peer("180", 180)], [.hold(duration: 1)])
    for index in scenario.peers.indices { scenario.peers[index].rangeBias = 0 }
    scenario.radio.patternDeviation = 0.05
    var errors: [String: [Double]] = [:]
    for seed in 1...2000 as ClosedRange<UInt64> {
      let simulator = try Simulator(scenario: scenario, seed: seed)
      for range in simulator.ranges {
        let peer = try #require(scenario.peers.first { $0.id == range.peer })
        errors[peer.id, default: []].append(range.range - peer.position.norm)
      }
    }
    let ahead = try #require(errors["0"])
    #expect(ahead.count == 2000)
    #expect(abs((ahead.reduce(0) { $0 + $1 * $1 } / 2000).squareRoot() / 0.05 - 1) < 0.07)
    #expect(zip(ahead, try #require(errors["far"])).allSatisfy { abs($0 - $1) < 1e-8 })
    for (name, cosine) in [("30", cos(Double.pi / 6)), ("90", 0), ("180", -1)] {
      let square = cosine * cosine
      let expected = (cosine + (3 * square - 1) / 2 + (5 * square - 3) * cosine / 2) / 3
      #expect(abs(Self.correlation(ahead, try #require(errors[name])) - expected) < 0.09, "\(name)")
    }
  }
}
