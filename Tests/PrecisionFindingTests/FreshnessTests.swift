import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Testing

/// How updates and the session report the freshness of their sources, and when they are made at all.
@Suite struct FreshnessTests {
  /// Ranges from before the first pose count as used at it, and a second later they are old.
  @Test func rangesUsedAtTheFirstPoseGrowOld() throws {
    let early = (0..<30).map { OdometryWorld.range(-3 + 0.1 * Double($0) + 0.013, "a", 5) }
    let finder = OdometryWorld.finder()
    let events = early + (0...75).map { OdometryWorld.odometry(Double($0) / 25) }
    let updates = (events.flatMap { finder.process($0) } + finder.finish()).updates()
    let after = updates.filter { $0.timestamp >= OdometryWorld.time(0) }
    let (soon, late) = (
      after.filter { $0.timestamp < OdometryWorld.time(0.85) }, after.filter { $0.timestamp > OdometryWorld.time(1) }
    )
    #expect(soon.count >= 8 && soon.allSatisfy { $0.object.quality == .precise })
    #expect(late.count >= 15 && late.allSatisfy { $0.object.quality == .drifting })
    #expect(try #require(finder.summary.peers["a"]).rangesUsed >= 3)
  }

  /// The first ranges wait for the third: they are reported as held, and count as used from there on.
  @Test func theFirstRangesAreHeld() throws {
    let finder = OdometryWorld.finder()
    let events = OdometryWorld.events(seconds: 2, peers: ["a"])
    let updates = (events.flatMap { finder.process($0) } + finder.finish()).updates()
    let uses = updates.compactMap { $0.details["rangeUse"] }
    #expect(uses.count == 20 && uses.prefix(2) == [.text("held"), .text("held")])
    #expect(!uses.dropFirst(2).contains(.text("held")))
    let peer = try #require(finder.summary.peers["a"])
    #expect(peer.rangesUsed + peer.rangesRejected == 20 && peer.rangesUsed > 15)
  }

  /// The session reports that the trajectory is gone, what is missing, and that it is back.
  @Test func theSessionLosesItsTrajectory() {
    let events = OdometryWorld.events(seconds: 14, peers: ["a"]).filter { event in
      guard case .odometry(let pose) = event.event else { return true }
      return !(OdometryWorld.time(9)...OdometryWorld.time(11)).contains(pose.timestamp)
    }
    let sessions = OdometryWorld.run(events).compactMap { output -> SessionUpdate? in
      if case .session(let session) = output { session } else { nil }
    }
    #expect(sessions.map(\.convergence.status) == [.converged, .unknown, .converged])
    guard sessions.count == 3 else { return }
    #expect(sessions[1].details == ["waitingFor": .text("odometry")] && sessions[2].details.isEmpty)
    #expect(sessions[1].timestamp < OdometryWorld.time(9.2) && sessions[2].timestamp > OdometryWorld.time(11))
  }

  /// Eleven silent minutes: updates ten times a second for ten of them, and again from the next event on.
  @Test func aLongSilenceIsFilledForTenMinutes() throws {
    let later = (0..<50).map { k in
      TimedEvent(
        .odometry(
          OdometryPose(timestamp: OdometryWorld.time(663 + 0.04 * Double(k)), worldFromSensor: OdometryWorld.path(3))))
    }
    let updates = OdometryWorld.run(OdometryWorld.events(seconds: 3, peers: ["a"]) + later).updates()
    let silent = updates.filter { $0.timestamp > OdometryWorld.time(3) && $0.timestamp < OdometryWorld.time(663) }
    #expect(silent.count == 6000)
    #expect(try #require(silent.last).timestamp == OdometryWorld.time(603))
    #expect(updates.contains { $0.timestamp > OdometryWorld.time(663) })
    // The peer's position is unknown by then.
    #expect(try #require(silent.last?.object.distanceStandardDeviation) > 100)
  }
}
