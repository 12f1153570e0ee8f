import Foundation
import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import Simulation
import Testing

/// The state machines on top of updates: zones, the displayed distance, the peer pointed at.
@Suite struct ZonesAndPointingTests {
  /// A distance that trembles across a border enters once.
  @Test func zonesHaveHysteresis() {
    var engine = ZoneEngine([.init("far", enter: 5, exit: 6), .init("near", enter: 1, exit: 1.5)], dwell: 0)
    #expect(engine.zones.map(\.name) == ["near", "far"] && engine.current == nil)
    var random = SeededRandom(seed: 4)
    var changes: [ZoneEngine.Change] = []
    // In to 0.5 m and out again, with noise truncated at 0.24 m: from end to end less than the hysteresis of 0.5 m.
    for k in 0..<400 {
      let time = 0.1 * Double(k)
      let distance = abs(time - 20) * 0.475 + 0.5 + max(-0.24, min(0.24, 0.15 * random.gaussian()))
      changes += engine.update(max(0, distance), at: time)
    }
    #expect(changes == [.entered("far"), .entered("near"), .left("near"), .left("far")])
    #expect(engine.current == nil && engine.update(nil, at: 100).isEmpty && engine.update(.nan, at: 100).isEmpty)
  }

  @Test func aJumpIntoTheMiddleEntersFromOutside() {
    var engine = ZoneEngine([.init("near", enter: 1, exit: 2), .init("far", enter: 5, exit: 6)], dwell: 0)
    #expect(engine.update(0.5, at: 0) == [.entered("far"), .entered("near")] && engine.current?.name == "near")
    #expect(engine.update(1.5, at: 1).isEmpty && engine.update(9, at: 2) == [.left("near"), .left("far")])
    #expect(ZoneEngine.Zone("odd", enter: 3, exit: 1).exit == 3)
    var patient = ZoneEngine([.init("near", enter: 1, exit: 2)], dwell: 0.5)
    #expect(patient.update(0.5, at: 0).isEmpty && patient.update(3, at: 0.4).isEmpty)
    #expect(patient.update(0.5, at: 0.5).isEmpty && patient.update(0.5, at: 1) == [.entered("near")])
  }

  /// The step response is the exponential's, whatever the spacing of the values.
  @Test func theSmootherFollowsItsTimeConstant() throws {
    for steps in [1, 7, 50] {
      var smoother = DistanceSmoother(timeConstant: 0.5)
      #expect(smoother.update(4, at: 0) == 4)
      var shown: Double?
      for k in 1...steps { shown = smoother.update(2, at: Double(k) / Double(steps)) }
      #expect(abs(try #require(shown) - (2 + 2 * exp(-2))) < 1e-12, "\(steps)")
    }
    var smoother = DistanceSmoother(timeConstant: 0.5, staleness: 2)
    #expect(smoother.update(nil, at: 0) == nil && smoother.update(.nan, at: 0) == nil)
    #expect(
      smoother.update(4, at: 1) == 4 && smoother.update(nil, at: 2.5) == 4 && smoother.update(nil, at: 3.1) == nil)
    #expect(smoother.update(9, at: 3.2) == 9, "what is stale does not pull")
  }

  @Test func pointingHoldsOn() {
    var query = PointingQuery(cone: 0.4, margin: 0.1)
    func seen(_ a: Double, _ b: Double) -> [PointingQuery.Candidate] {
      [.init(peer: "a", angle: a), .init(peer: "b", angle: b)]
    }
    #expect(query.update(seen(0.5, -0.6), at: 0) == nil)
    #expect(query.update(seen(0.2, -0.25), at: 1) == "a")
    #expect(query.update(seen(0.25, -0.2), at: 2) == "a", "not by this little")
    #expect(query.update(seen(0.3, -0.1), at: 3) == "b")
    #expect(query.update(seen(0.9, -0.45), at: 4) == "b", "held a little beyond the cone")
    let alone = Array(seen(0.2, 0).prefix(1))
    #expect(
      query.update(alone, at: 4.1) == "b" && query.update([], at: 4.5) == "b", "an angle that is missing for a moment")
    #expect(query.update(seen(0.2, .nan), at: 4.4) == "b", "no number is no angle")
    #expect(query.update(alone, at: 4.6) == "a", "and for longer")
    #expect(query.update(seen(0.9, -0.55), at: 4.7) == "a", "out of the cone for a moment")
    #expect(query.update(seen(0.9, -0.3), at: 4.8) == "b", "unless another is in it")
    #expect(
      query.update(seen(0.9, -0.55), at: 5.2) == "b" && query.update(seen(0.9, -0.55), at: 5.4) == nil, "and for longer"
    )
    let equal = [("c", 2.0), ("b", 1.0), ("a", 2.0)].map { PointingQuery.Candidate(peer: $0, angle: 0.1, distance: $1) }
    #expect(query.ranking(equal).map(\.peer) == ["b", "a", "c"])
    #expect(query.update([.init(peer: "x", angle: .nan)], at: 6) == nil && query.update([], at: 7) == nil)
  }

  /// Off the axis by the direction where there is one, else by the angle; nil without either.
  @Test func anUpdateIsACandidate() throws {
    var object = NearbyObject(peer: "a")
    #expect(PointingQuery.Candidate(object) == nil)
    object.horizontalAngle = .init(value: -0.5, standardDeviation: 0.1, low: -0.6, high: -0.4)
    object.distance = 3
    #expect(PointingQuery.Candidate(object) == .init(peer: "a", angle: -0.5, distance: 3))
    object.direction = Vector3(0, 0.6, -0.8)
    #expect(abs(try #require(PointingQuery.Candidate(object)).angle - acos(0.8)) < 1e-12)
  }

  /// Rings of the configuration are reported in the details, with hysteresis and causally; without rings nothing is.
  @Test func updatesHoldTheirZone() throws {
    var configuration = FinderConfiguration()
    (configuration.zones.nearMetres, configuration.zones.farMetres) = (1, 50)
    func run(_ configuration: FinderConfiguration, _ seconds: Double) -> [NearbyUpdate] {
      let finder = PrecisionFinder(rig: OdometryWorld.rig, configuration: configuration, useOdometry: true)
      return OdometryWorld.events(seconds: seconds, peers: ["a"]).flatMap { finder.process($0) }.updates()
    }
    let updates = run(configuration, 4)
    let zones = updates.map(\.details["zone"])
    #expect(zones.first == .text("outside") && zones.last == .text("far"))
    #expect(zip(zones, zones.dropFirst()).count { $0 != $1 } == 1)
    #expect(updates.allSatisfy { ($0.details["smoothedDistance"] == nil) == ($0.object.distance == nil) })
    #expect(run(configuration, 2).count > 30)
    #expect(zip(run(configuration, 2), updates).allSatisfy { $0 == $1 }, "what comes later changes nothing")
    let plain = run(FinderConfiguration(), 4)
    #expect(plain.allSatisfy { $0.details["zone"] == nil && $0.details["smoothedDistance"] == nil })
    #expect(zip(plain, updates).allSatisfy { $0.object == $1.object }, "zones change no estimate")
  }
}
