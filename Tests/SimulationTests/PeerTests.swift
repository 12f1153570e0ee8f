import Foundation
import Geometry
import SensorData
import Simulation
import Testing

@Suite struct PeerTests {
  @Test func aMovingPeerIsWhereItsLegsTakeIt() {
    var peer = Scenario.Peer(id: "a", position: Vector3(1, 2, 3))
    peer.path = [
      Scenario.Leg(time: 2...4, displacement: Vector3(2, 0, 0)),
      Scenario.Leg(time: 4...5, displacement: Vector3(0, -1, 0.5)),
    ]
    let cases: [(Double, Vector3)] = [
      (0, Vector3(1, 2, 3)), (2, Vector3(1, 2, 3)), (3, Vector3(2, 2, 3)), (4, Vector3(3, 2, 3)),
      (4.5, Vector3(3, 1.5, 3.25)), (5, Vector3(3, 1, 3.5)), (99, Vector3(3, 1, 3.5)),
    ]
    for (time, position) in cases { #expect((peer.position(at: time) - position).norm < 1e-12, "\(time) s") }
  }

  /// One row for a stationary peer, ten per second for a moving one, from start to end.
  @Test func truthOfMovingPeersCoversTheRecording() throws {
    var scenario = try Scenario.named("moving")
    scenario.peers.append(Scenario.Peer(id: "box", position: Vector3(3, 3, 0)))
    let simulator = try Simulator(scenario: scenario, seed: 1)
    let rows = simulator.peers
    #expect(rows.filter { $0.peer == "box" } == [rows[1]])
    let moving = rows.filter { $0.peer == "tag" }
    #expect(moving.first?.timestamp == Simulator.start)
    for (earlier, later) in zip(moving, moving.dropFirst()) {
      #expect(later.timestamp.seconds(since: earlier.timestamp) == 0.1)
    }
    let last = try #require(simulator.events().last?.event.timestamp)
    #expect(moving.last!.timestamp >= last && zip(rows, rows.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })
    for row in moving {
      let time = row.timestamp.seconds(since: Simulator.start)
      #expect((row.position - scenario.peers[0].position(at: time)).norm < 1e-7)
    }
    #expect((moving.last!.position - moving[0].position - Vector3(1.5, 5, 0)).norm < 1e-9)
  }

  @Test func anApproachGoesWhereThePeerIsByThen() throws {
    var scenario = try Scenario.named("approach")
    scenario.peers[0].path = [Scenario.Leg(time: 0...1, displacement: Vector3(0, 1, 0))]
    let plan = try Simulator(scenario: scenario, seed: 1).plan
    let peer = scenario.peers[0].position + Vector3(0, 1, 0)
    #expect(abs((plan.end.position - peer).horizontalNorm - 0.8) < 1e-9)
  }

  /// Distance uniform in 3 to 7 m, azimuth all around, elevation normal with 23 degrees truncated at 60, bias normal.
  @Test func randomPeersHaveTheirDistributions() throws {
    let scenario = try Scenario.named("mc-sway")
    let peers = try (1...600).map { try Simulator(scenario: scenario, seed: $0).scenario.peers[0] }
    let n = Double(peers.count)
    let distances = peers.map { $0.position.norm }
    #expect(distances.allSatisfy { $0 >= 3 - 1e-9 && $0 <= 7 + 1e-9 })
    #expect(abs(distances.reduce(0, +) / n - 5) < 4 * 4 / (12 * n).squareRoot())
    for power in [1.0, 2] {
      let (x, y) = peers.map { atan2($0.position.y, $0.position.x) * power }
        .reduce((0.0, 0.0)) { ($0.0 + cos($1), $0.1 + sin($1)) }
      // Rayleigh's test: 2 n R^2 is chi-square with two degrees of freedom; 18 is passed once in 8000.
      #expect(2 * (x * x + y * y) / n < 18)
    }
    let elevations = peers.map { asin($0.position.z / $0.position.norm) }
    #expect(elevations.allSatisfy { abs($0) <= .pi / 3 + 1e-9 })
    // A normal truncated at c = 60 / 23 sigma has the variance 1 - 2 c phi(c) / (2 Phi(c) - 1) = 0.9300.
    let variance = elevations.map { $0 * $0 }.reduce(0, +) / n
    let expected = Angle.degrees(23) * 0.93.squareRoot()
    #expect(abs(variance.squareRoot() / expected - 1) < 4 / (2 * n).squareRoot())
    let biases = peers.map(\.rangeBias)
    #expect(abs(biases.reduce(0, +) / n) < 4 * 0.1 / n.squareRoot())
    let spread = (biases.map { $0 * $0 }.reduce(0, +) / n).squareRoot()
    #expect(abs(spread / 0.1 - 1) < 4 / (2 * n).squareRoot())
  }

  /// Same seed, same numbers; a peer's position does not depend on the other settings.
  @Test func thePositionDependsOnTheSeedOnly() throws {
    var scenario = try Scenario.named("mc-walk")
    let first = try Simulator(scenario: scenario, seed: 3)
    #expect(try Simulator(scenario: scenario, seed: 3).events() == first.events())
    #expect(try Simulator(scenario: scenario, seed: 4).peers != first.peers)
    scenario.radio.rangeNoise = 1
    scenario.camera = nil
    #expect(try Simulator(scenario: scenario, seed: 3).peers == first.peers)
    #expect(first.peers[0].position == first.scenario.peers[0].position)
  }

  @Test func azimuthsStayInTheirSector() throws {
    let yaml = """
      name: x
      description: y
      peers: [{id: a, distance_m: [2, 3], azimuth_deg: [20, 50]}]
      motion: [{hold: {duration_s: 1}}]
      """
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    for seed in 1...100 {
      let position = try Simulator(scenario: scenario, seed: UInt64(seed)).scenario.peers[0].position
      // Positive right: y is left.
      let azimuth = Angle.inDegrees(atan2(-position.y, position.x))
      #expect(azimuth >= 20 - 1e-9 && azimuth <= 50 + 1e-9 && position.z == 0)
    }
  }

  @Test func suspendedAppsAndEndedPeersProduceNoEvents() throws {
    let scenario = try Scenario.named("suspended")
    func times(_ scenario: Scenario, _ pick: (SensorEvent) -> Bool) throws -> [Double] {
      try Simulator(scenario: scenario, seed: 1).events().map(\.event).filter(pick)
        .map { $0.timestamp.seconds(since: Simulator.start) }
    }
    let isFrame = { (event: SensorEvent) in if case .frame = event { true } else { false } }
    func isRange(_ peer: String) -> (SensorEvent) -> Bool {
      { event in if case .range(let range) = event { range.peer == peer } else { false } }
    }
    for pick in [isFrame, isRange("tag"), isRange("bag")] {
      let received = try times(scenario, pick)
      #expect(!received.contains { $0 >= 8 && $0 < 12 })
      #expect(received.contains { $0 < 8 } && received.contains { $0 > 12 })
    }
    #expect(try times(scenario, isRange("bag")).allSatisfy { $0 < 19 })
    #expect(try times(scenario, isRange("tag")).contains { $0 > 19 })
    var open = scenario
    open.events[0].keepsSensors = true
    #expect(try times(open, isFrame).contains { $0 > 8 && $0 < 12 })
  }

  /// Start, duration and speed of a stroll are within their intervals; it is level, and every seed draws another.
  @Test func strollsAreDrawn() throws {
    let scenario = try Scenario.named("mc-moving")
    let stroll = try #require(scenario.peers[0].stroll)
    var headings: [Double] = []
    for seed in 1...200 {
      let peer = try Simulator(scenario: scenario, seed: UInt64(seed)).scenario.peers[0]
      #expect(peer.stroll == nil && peer.path.count == 2)
      let (first, last) = (peer.path[0], peer.path[1])
      #expect(stroll.begin.contains(first.time.lowerBound) && first.time.upperBound == last.time.lowerBound)
      let lasts = last.time.upperBound - first.time.lowerBound
      #expect(lasts > stroll.duration.lowerBound - 1e-9 && lasts < stroll.duration.upperBound + 1e-9)
      for leg in peer.path {
        let speed = leg.displacement.norm / (leg.time.upperBound - leg.time.lowerBound)
        #expect(speed > stroll.speed.lowerBound - 1e-9 && speed < stroll.speed.upperBound + 1e-9)
        #expect(leg.displacement.z == 0)
      }
      #expect(first.displacement.normalized.dot(last.displacement.normalized) > -1e-9, "at most a right angle")
      let nearest = stride(from: 0, through: 30, by: 0.05).map { peer.position(at: $0).norm }.min()!
      #expect(nearest > 0.99, "keeps its distance from the device")
      headings.append(atan2(first.displacement.y, first.displacement.x))
    }
    #expect(Set(headings).count == 200 && headings.contains { $0 > 2 } && headings.contains { $0 < -2 })
  }

  /// Between two legs a peer that stops and goes rests within the interval; its legs are as long as without rests.
  @Test func strollsStopAndGo() throws {
    var scenario = try Scenario.named("mc-moving")
    scenario.peers[0].stroll?.legCount = 4
    scenario.peers[0].stroll?.rest = 2...10
    var rests: [Double] = []
    for seed in 1...100 {
      let path = try Simulator(scenario: scenario, seed: UInt64(seed)).scenario.peers[0].path
      #expect(path.count == 4)
      let lasts = path.map { $0.time.upperBound - $0.time.lowerBound }
      #expect(lasts.allSatisfy { abs($0 - lasts[0]) < 1e-9 } && (3...7).contains(lasts.reduce(0, +)))
      rests += zip(path, path.dropFirst()).map { $1.time.lowerBound - $0.time.upperBound }
    }
    #expect(rests.allSatisfy { (2 - 1e-9...10 + 1e-9).contains($0) })
    // 300 uniform numbers: the 1-sigma of their mean is 0.13.
    #expect(abs(rests.reduce(0, +) / Double(rests.count) - 6) < 0.6)
    #expect(try #require(rests.min()) < 2.5 && (try #require(rests.max())) > 9.5)
  }

  /// A named interval is NLOS from end to end, with one bias; no other range changes.
  @Test func namedIntervalsAreNLOS() throws {
    let scenario = try Scenario.named("mc-nlos-burst").withExternalOdometry
    let clean = try Scenario.named("mc-arc-vertical").withExternalOdometry
    func ranges(_ scenario: Scenario) throws -> [Double: Double] {
      let events = try Simulator(scenario: scenario, seed: 3).events()
      return Dictionary(
        uniqueKeysWithValues: events.compactMap { timed in
          guard case .range(let range) = timed.event else { return nil }
          return (range.timestamp.seconds(since: Simulator.start), range.range)
        })
    }
    let (nlos, los) = (try ranges(scenario), try ranges(clean))
    var biases: Set<Int> = []
    for (time, range) in nlos {
      let bias = range - los[time]!
      if (9...11.5).contains(time) { biases.insert(Int((bias * 1e9).rounded())) } else { #expect(bias == 0) }
    }
    #expect(biases.count == 1 && biases.first! > 0)
  }
}
