import Foundation
import Geometry
import Simulation
import SimulationTestSupport
import Testing

/// Geometric NLOS between two radios.
@Suite struct LineOfSightTests {
  private static let wall = Scenario.Wall(from: SIMD2(2, -1), to: SIMD2(2, 1), bottom: -1, top: 1)

  @Test func wallsIntersectHandComputedSegments() {
    let origin = Vector3.zero
    let cases: [(Vector3, Bool)] = [
      (Vector3(4, 0, 0), true), (Vector3(4, 1.9, 0), true), (Vector3(4, 2.1, 0), false), (Vector3(4, 0, 1.9), true),
      (Vector3(4, 0, 2.1), false), (Vector3(4, 0, -2.1), false), (Vector3(1.9, 0, 0), false),
      // On the wall, along it, away from it.
      (Vector3(2, 0, 0), false), (Vector3(0, 4, 0), false), (Vector3(-4, 0, 0), false), (Vector3(0, 0, 3), false),
    ]
    for (point, expected) in cases {
      #expect(Self.wall.intersectsSegment(from: origin, to: point) == expected, "\(point)")
      #expect(Self.wall.intersectsSegment(from: point, to: origin) == expected, "\(point), reversed")
    }
  }

  /// A hand at the origin that points along x: the body's axis is 0.5 m behind, its radius 0.2 m, its head 0.35 m up.
  /// Tangents from the hand leave at asin(0.2 / 0.5) = 23.578 degrees; a rising segment enters at x = -0.3.
  @Test func theBodyIntersectsHandComputedSegments() {
    let body = Scenario.Body()
    func at(_ degrees: Double, up: Double = 0) -> Vector3 {
      Vector3(-3 * cos(Angle.degrees(degrees)), 3 * sin(Angle.degrees(degrees)), up)
    }
    let cases: [(Vector3, Bool)] = [
      (at(0), true), (at(23.5), true), (at(-23.5), true), (at(23.7), false), (at(-23.7), false), (at(180), false),
      (at(0, up: 3.49), true), (at(0, up: 3.51), false), (at(0, up: -2), true),
      // Before the body, inside it, straight up beside it.
      (Vector3(-0.29, 0, 0), false), (Vector3(-0.5, 0, 0), true), (Vector3(0, 0, 3), false),
    ]
    for (point, expected) in cases {
      #expect(body.intersectsSegment(from: .zero, to: point, hand: HandPose()) == expected, "\(point)")
      // Rotated and translated with the hand.
      let hand = HandPose(position: Vector3(1, 2, 0.5), yaw: 2.2)
      let moved = hand.position + Rotation.yaw(2.2) * point
      #expect(body.intersectsSegment(from: hand.position, to: moved, hand: hand) == expected, "\(point)")
    }
    // Straight up within the cylinder, from below the head and from above it.
    #expect(body.intersectsSegment(from: Vector3(-0.5, 0, 0), to: Vector3(-0.5, 0, 2), hand: HandPose()))
    #expect(!body.intersectsSegment(from: Vector3(-0.5, 0, 1), to: Vector3(-0.5, 0, 2), hand: HandPose()))
  }

  /// Against the definition: some point of the segment is inside the cylinder; the segment crosses the wall's plane
  /// within its edges.
  @Test func randomSegmentsAgreeWithTheDefinition() {
    var random = SeededRandom(seed: 5)
    var intersecting = 0
    let body = Scenario.Body()
    for _ in 0..<2000 {
      let hand = HandPose(position: random.gaussian3() * 0.5, yaw: random.uniform(-3...3))
      let (a, b) = (hand.position + random.gaussian3() * 0.3, hand.position + random.gaussian3() * 1.5)
      let axis = hand.position - 0.5 * Vector3(cos(hand.yaw), sin(hand.yaw), 0)
      var depth = -Double.infinity
      for k in 0...2000 {
        let point = a + (b - a) * (Double(k) / 2000)
        depth = max(depth, min(body.radius - (point - axis).horizontalNorm, hand.position.z + body.top - point.z))
      }
      // Segments that only just touch are subject to rounding.
      if abs(depth) > 0.002 { #expect(body.intersectsSegment(from: a, to: b, hand: hand) == (depth > 0)) }
      if depth > 0 { intersecting += 1 }
      let (p, q) = (random.gaussian3() * 2, random.gaussian3() * 2 + Vector3(3, 0, 0))
      let s = (2 - p.x) / (q.x - p.x)
      let hit = p + s * (q - p)
      let crosses = s > 0 && s < 1 && abs(hit.y) <= 1 && abs(hit.z) <= 1
      #expect(Self.wall.intersectsSegment(from: p, to: q) == crosses)
    }
    #expect(intersecting > 100)
  }

  /// The ranges have the obstacle's bias exactly in NLOS.
  @Test(arguments: ["body", "wall"]) func rangesAreBiasedInNLOS(_ name: String) throws {
    var scenario = try Scenario.named(name).withoutErrors
    scenario.body = try Scenario.named(name).body
    scenario.radio.nlosReportErrorShare = 0
    let simulator = try Simulator(scenario: scenario, seed: 1)
    let antenna = scenario.radio.antennas[""]!
    let peer = scenario.peers[0].position
    var counts = [0, 0]
    var switches = 0
    var last: Bool?
    for case .range(let range) in simulator.events().map(\.event) {
      let time = range.timestamp.seconds(since: Simulator.start)
      let position = simulator.motion.kinematics(at: time).worldFromBody * antenna
      let bias = range.range - (peer - position).norm
      let isNLOS = range.nonLineOfSight == 1
      #expect(abs(bias - (isNLOS ? (name == "body" ? 0.4 : 0.6) : 0)) < 1e-8)
      counts[isNLOS ? 1 : 0] += 1
      if let last, last != isNLOS { switches += 1 }
      last = isNLOS
    }
    #expect(counts[0] > 50 && counts[1] > 50)
    // The body: NLOS once. The wall: NLOS until its end is passed.
    if name == "body" { #expect(switches >= 2 && last == false) }
    if name == "wall" { #expect(switches == 1 && last == false) }
  }

  @Test func opaqueWallsHideLandmarksAndStopWalks() throws {
    var scenario = try Scenario.named("still").withoutErrors
    scenario.walls = [Scenario.Wall(from: SIMD2(1.5, -6), to: SIMD2(1.5, 6), bottom: -2, top: 2)]
    func seen(_ scenario: Scenario) throws -> [Int] {
      try Simulator(scenario: scenario, seed: 1).events().compactMap {
        if case .frame(let frame) = $0.event { frame.features.count } else { nil }
      }
    }
    // The wall fills the image: only its own landmarks are visible.
    scenario.walls[0].landmarks = 0
    #expect(try seen(scenario).allSatisfy { $0 == 0 })
    scenario.walls[0].landmarks = 2000
    #expect(try seen(scenario).allSatisfy { $0 == 50 })
    scenario.walls[0].landmarks = 0
    scenario.walls[0].isOpaque = false
    #expect(try seen(scenario).allSatisfy { $0 == 50 })
    scenario.motion = [.motion(.walk(distance: 3, speed: 1, heading: 0, bob: 0, stepRate: 2))]
    let error = #expect(throws: ScenarioError.self) { try Simulator(scenario: scenario, seed: 1) }
    // 1.5 m at 1 m/s and half a ramp of 0.8 s.
    #expect(error?.description.contains("through a wall of the room at 1.9 s") == true)
    // Also when a sample lies exactly on the wall.
    scenario.walls[0].from.x = 2
    scenario.walls[0].to.x = 2
    #expect(throws: ScenarioError.self) { try Simulator(scenario: scenario, seed: 1) }
  }

  @Test func blankWallsHaveNoLandmarks() throws {
    var scenario = try Scenario.named("still")
    scenario.room.furniture = 0
    scenario.room.blank = [.ahead, .floor]
    let points = try Simulator(scenario: scenario, seed: 1).landmarks
    #expect(!points.contains { $0.x == 9 } && !points.contains { $0.z == -1.3 })
    #expect(points.contains { $0.x == -4 } && points.contains { $0.y == 5 } && points.contains { $0.y == -5 })
    #expect(points.contains { $0.z == 1.4 })
  }
}
