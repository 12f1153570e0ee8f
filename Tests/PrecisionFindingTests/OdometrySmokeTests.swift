import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// One or two searches on a given path of each law of `MovingPeerTests`, `TrackerYawJumpTests`, `AoAValidityTests` and
/// `AoABiasIntervalTests`.
@Suite struct OdometrySmokeTests {
  typealias Run = (updates: [NearbyUpdate], simulator: Simulator)

  private static func run(
    _ name: String, seed: UInt64, _ configuration: FinderConfiguration = .init(),
    scenario change: (inout Scenario) -> Void = { _ in }, events: ([TimedEvent]) -> [TimedEvent] = { $0 }
  ) throws -> Run {
    var scenario = try Scenario.named(name).withExternalOdometry
    change(&scenario)
    let simulator = try Simulator(scenario: scenario, seed: seed)
    let finder = PrecisionFinder(rig: simulator.rig, configuration: configuration, useOdometry: true)
    return ((events(simulator.events()).flatMap { finder.process($0) } + finder.finish()).updates(), simulator)
  }

  private static func seconds(_ update: NearbyUpdate) -> Double { update.timestamp.seconds(since: Simulator.start) }

  /// Over 20 degrees off.
  private static func wrong(_ run: Run, after begin: Double = 0) -> [NearbyUpdate] {
    run.updates.filter {
      seconds($0) > begin && SimulatedSearch.angleError($0, run.simulator).map { abs($0) > .pi / 9 } ?? false
    }
  }

  private static func wrongConverged(_ run: Run, after begin: Double = 0) -> Int {
    wrong(run, after: begin).count { $0.convergence.status == .converged }
  }

  private static func moving(_ update: NearbyUpdate) -> Double {
    if case .number(let probability)? = update.details["walking"] { probability } else { 0 }
  }

  /// The tag of `moving` moves from 17 s to 23 s, and says so.
  @Test func aReportedMotionIsUsedAtOnce() throws {
    let run = try Self.run(
      "moving", seed: 1,
      events: { events in
        var events = events
        for (second, name) in [(17.0, "moving"), (23.0, "stationary")] {
          let time = Simulator.start.advanced(bySeconds: second)
          let index = events.firstIndex { $0.arrival > time } ?? events.count
          events.insert(
            TimedEvent(.device(DeviceEvent(timestamp: time, name: name, peer: "tag")), arrival: time), at: index)
        }
        return events
      })
    let before = run.updates.count { Self.seconds($0) < 17 && $0.convergence.status == .converged }
    #expect(before > 0)
    #expect(Self.wrongConverged(run) == 0)
    let meanwhile = run.updates.count { (19.5...23).contains(Self.seconds($0)) && $0.convergence.status == .converged }
    #expect(meanwhile == 0)
  }

  /// And does not say so: the alternative overtakes, the motion is reported, and no converged output is wrong
  /// afterwards.
  @Test func anUnreportedMotionIsDetected() throws {
    let run = try Self.run("moving", seed: 1)
    let reported = run.updates.count { (17...23).contains(Self.seconds($0)) && Self.moving($0) > 0.5 }
    #expect(reported > 0)
    #expect(Self.wrongConverged(run, after: 21.5) == 0)
    #expect(Self.moving(try #require(run.updates.last)) < 0.5)
  }

  /// Carried before it is found: without the alternative the search of this seed is misled, with it not.
  @Test func motionBeforeThePeerIsFoundIsNoGeometry() throws {
    var never = FinderConfiguration()
    (never.movingLogOdds, never.movingPrior) = (1e6, 0)
    // The tests of the premises find such a contradiction too.
    never.watchesPremises = false
    let with = try Self.run("mc-moving-unfound-walk", seed: 12)
    let without = try Self.run("mc-moving-unfound-walk", seed: 12, never)
    #expect(Self.wrong(with).count == 0)
    #expect(Self.wrong(without).count > 50, "without the alternative")
  }

  @Test func aStationaryPeerIsNotReportedMoving() throws {
    let run = try Self.run("mc-nlos", seed: 1)
    #expect(run.updates.count > 100 && run.updates.count { Self.moving($0) > 0.5 } == 0)
  }

  /// The tracker's world rotates by half a radian about the device after five seconds; the device does not.
  @Test func aYawJumpIsNoGeometry() throws {
    let moment = Simulator.start.advanced(bySeconds: 5)
    var turned: Pose?
    let run = try Self.run("mc-arc", seed: 1) {
      $0.odometry = Scenario.Odometry()
      $0 = $0.withExternalOdometry
    } events: { events in
      events.map { timed in
        guard case .odometry(var pose) = timed.event, pose.timestamp > moment else { return timed }
        let here = pose.worldFromSensor.translation
        turned = turned ?? Pose(rotation: .yaw(0.5), translation: here - Rotation.yaw(0.5) * here)
        pose.worldFromSensor = turned! * pose.worldFromSensor
        return TimedEvent(.odometry(pose), arrival: timed.arrival)
      }
    }
    let angles = run.updates.filter { Self.seconds($0) > 5.2 && $0.object.horizontalAngle != nil }
    #expect(angles.count > 20 && Self.wrong(run, after: 5.2).count == 0)
  }

  private static func isRefuted(_ update: NearbyUpdate) -> Bool {
    guard case .obstacles(let found)? = update.details["findings"] else { return false }
    return found.contains { $0.obstacle == .aoaInconsistent }
  }

  /// An array that is mirrored or turned: refuted on this seed, and without the test it misleads.
  @Test(arguments: ["mc-aoa-mirrored", "mc-aoa-turned"]) func inconsistentAnglesAreRefuted(name: String) throws {
    var trusting = FinderConfiguration()
    trusting.aoaInvalidPrior = 0
    trusting.ranging.aoaBiasDegrees = 0
    let tested = try Self.run(name, seed: 6), trusted = try Self.run(name, seed: 6, trusting)
    let refutations = tested.updates.count(where: Self.isRefuted)
    #expect(refutations > 0)
    #expect(Self.wrongConverged(tested) == 0)
    #expect(Self.wrongConverged(trusted) > 0, "without the test")
  }

  @Test func consistentAnglesAreNotRefuted() throws {
    let run = try Self.run("mc-aoa", seed: 1)
    #expect(!Self.isRefuted(try #require(run.updates.last)))
    #expect(Self.wrongConverged(run) == 0)
  }

  /// A device that only rotates: an angle, and no convergence.
  @Test func anglesOfADeviceThatOnlyRotatesDoNotConverge() throws {
    let run = try Self.run("mc-aoa", seed: 1) { scenario in
      let rotations = [1.0, -2, 1].map { HandMotion.turn(duration: 3, angle: Angle.degrees(60) * $0, arm: 0) }
      scenario.motion = ([.hold(duration: 1.5)] + rotations).map { .motion($0) }
    }
    #expect(run.updates.count { $0.object.horizontalAngle != nil } > 0)
    #expect(run.updates.count { $0.convergence.status == .converged } == 0)
  }

  /// An array with a lasting bias: its model widens the interval.
  @Test func aLastingBiasWidensTheInterval() throws {
    var unbiased = FinderConfiguration()
    unbiased.ranging.aoaBiasDegrees = 0
    func width(_ configuration: FinderConfiguration) throws -> Double {
      let angles = try Self.run("mc-aoa-offset", seed: 1, configuration).updates.compactMap(\.object.horizontalAngle)
      let last = try #require(angles.last)
      return last.high - last.low
    }
    let (with, without) = (try width(FinderConfiguration()), try width(unbiased))
    #expect(with > 2 * without)
  }
}
