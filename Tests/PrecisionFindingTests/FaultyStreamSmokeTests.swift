import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// One search of each fault in `FaultyStreamTests` and `RangesBeforeTrajectoryTests`.
@Suite struct FaultyStreamSmokeTests {
  /// A camera's clock that is half a second ahead loses no frame.
  @Test func noFrameIsLostToAnotherClock() throws {
    let run = try FaultyStream.run(FaultyStream.scenario { $0.camera!.timeOffset = 0.5 })
    // Fourteen seconds at 20 Hz, without half a second at an end.
    #expect(run.summary.framesUsed > 255 && run.summary.restarts == 0)
    let late = run.outputs.updates().filter { (10...12.5).contains(FaultyStream.seconds($0.timestamp)) }
    #expect(late.count > 20 && late.allSatisfy { $0.object.horizontalAngle != nil })
  }

  @Test func duplicatesChangeNothing() throws {
    let clean = try FaultyStream.run(FaultyStream.scenario())
    let doubled = try FaultyStream.run(FaultyStream.scenario()) { events in events.flatMap { [$0, $0] } }
    #expect(doubled.summary.unusableEvents > 200)
    let (a, b) = (clean.outputs.updates(), doubled.outputs.updates())
    #expect(a.map(\.object.distance) == b.map(\.object.distance))
    #expect(a.map(\.object.horizontalAngle) == b.map(\.object.horizontalAngle))
  }

  /// Two seconds without inertial data: a new world, a distance all the time, and no angle meanwhile.
  @Test func aLongGapKeepsThePeer() throws {
    let run = try FaultyStream.run(FaultyStream.scenario()) { events in
      events.filter {
        if case .imu = $0.event { !(6...8).contains(FaultyStream.seconds($0.event.timestamp)) } else { true }
      }
    }
    #expect(run.summary.restarts == 1)
    let gap = run.outputs.updates().filter { (7.2...8).contains(FaultyStream.seconds($0.timestamp)) }
    #expect(gap.count > 5 && gap.allSatisfy { $0.object.distance != nil && $0.object.horizontalAngle == nil })
  }

  /// Four dark seconds: named, no restart, and no distance afterwards that is over four sigmas off.
  @Test func darknessIsNamedAndIsNoNLOS() throws {
    let scenario = FaultyStream.scenario { $0.camera!.dark = [5...9] }
    let run = try FaultyStream.run(scenario)
    #expect(run.summary.restarts == 0)
    let dark = run.outputs.updates().filter { (6...8.9).contains(FaultyStream.seconds($0.timestamp)) }
    #expect(dark.count > 20 && dark.allSatisfy { $0.convergence.reasons.contains(.insufficientLighting) })
    let truth = try Simulator(scenario: scenario, seed: 2).truth()
    for update in run.outputs.updates() where FaultyStream.seconds(update.timestamp) > 9 {
      let pose = try #require(truth.first { $0.timestamp >= update.timestamp }).worldFromBody
      let error = try #require(update.object.distance) - (scenario.peers[0].position - pose.translation).norm
      #expect(abs(error) < 4 * (try #require(update.object.distanceStandardDeviation)))
    }
  }

  /// An NLOS interval that starts before the first pose is detected.
  @Test func anNLOSIntervalThatBeginsWhileWaitingIsDetected() throws {
    let scenario = FaultyStream.scenario { $0.motion[0] = .motion(.hold(duration: 1.6)) }
    let simulator = try Simulator(scenario: scenario, seed: 1)
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: false)
    var updates: [NearbyUpdate] = []
    for event in simulator.events() where event.event.timestamp < Simulator.start.advanced(bySeconds: 3) {
      var event = event
      if case .range(var range) = event.event, (0.7...1.5).contains(FaultyStream.seconds(range.timestamp)) {
        range.range += 0.6
        event = TimedEvent(.range(range), arrival: event.arrival)
      }
      updates += finder.process(event).updates()
    }
    let probabilities = updates.filter { FaultyStream.seconds($0.timestamp) < 1.5 }.compactMap { update -> Double? in
      if case .number(let probability)? = update.details["lineOfSight"] { probability } else { nil }
    }
    #expect(probabilities.count >= 5 && probabilities.allSatisfy { $0 < 0.5 }, "\(probabilities)")
  }
}
