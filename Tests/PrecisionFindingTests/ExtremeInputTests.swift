import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Testing

/// Input that no sensor gives: outputs stay finite, in time order, and take little time.
@Suite struct ExtremeInputTests {
  static func check(_ events: [TimedEvent]) -> [NearbyUpdate] {
    let outputs = OdometryWorld.run(events)
    let times = outputs.times
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(outputs.updates().allSatisfy { $0.numbers.allSatisfy(\.isFinite) })
    return outputs.updates()
  }

  @Test func rangesNoRadioMeasures() {
    let extremes = [0, 0, 0, 0, 1e6, 1e6, 1e6, 0, 5, 1e6, 0, 3, 3, 3, 1e6, 0]
    let ranges = (0..<60).map { OdometryWorld.range(0.05 * Double($0) + 0.001, "a", extremes[$0 % extremes.count]) }
    let motion = (0...90).map { OdometryWorld.odometry(Double($0) / 25) }
    let updates = Self.check((ranges + motion).sorted { $0.event.timestamp < $1.event.timestamp })
    #expect(updates.count >= 60)
  }

  /// One range of 0, as radios report now and then, must neither restart the search nor make the distance small.
  @Test(arguments: [2.5, 8.0])
  func oneRangeOfNothing(at seconds: Double) throws {
    // A tracker whose own error is large, so that the uncertainty of the trajectory is never 0.
    var rig = OdometryWorld.rig
    rig.odometry = OdometryCalibration(positionRandomWalk: 0.05, yawRandomWalk: 0.02)
    let finder = PrecisionFinder(rig: rig, useOdometry: true)
    let nothing = OdometryWorld.range(seconds + 0.001, "a", 0)
    let events = (OdometryWorld.events(seconds: 10, peers: ["a"]) + [nothing]).sorted {
      $0.event.timestamp < $1.event.timestamp
    }
    let updates = (events.flatMap { finder.process($0) } + finder.finish()).updates()
    let index = try #require(updates.firstIndex { $0.timestamp == nothing.event.timestamp })
    let (before, after) = (updates[index - 1].object, updates[index].object)
    #expect(abs(try #require(after.distance) - (try #require(before.distance))) < 0.2)
    #expect((after.horizontalAngle == nil) == (before.horizontalAngle == nil))
  }

  @Test func aThousandRangesAtOneTime() {
    let crowd = (0..<1000).map { OdometryWorld.range(0.5, "a", 4 + 1e-6 * Double($0)) }
    let motion = (0...25).map { OdometryWorld.odometry(Double($0) / 25) }
    let updates = Self.check((crowd + motion).sorted { $0.event.timestamp < $1.event.timestamp })
    #expect(updates.filter { $0.timestamp == OdometryWorld.time(0.5) }.count >= 1000)
  }

  /// A year of silence, or a stamp at the end of the clock, is not filled with updates ten times a second.
  @Test(arguments: [3600.0, 3.2e7, 1e10])
  func aLongSilence(seconds: Double) {
    let events = OdometryWorld.events(seconds: 3, peers: ["a"])
    let later = (0..<20).map { k -> TimedEvent in
      let t = OdometryWorld.time(3 + seconds).advanced(bySeconds: 0.04 * Double(k))
      return TimedEvent(.odometry(OdometryPose(timestamp: t, worldFromSensor: OdometryWorld.path(3))))
    }
    let updates = Self.check(events + later)
    #expect(updates.count < 30_000)
  }

  /// Stamps in another unit, a drifting counter: what is written is bounded by what was read, not by what stamps claim.
  @Test(arguments: [1e2, 1e3, 1e4, 1e6])
  func stretchedStamps(factor: Double) {
    let events = OdometryWorld.events(seconds: 6, peers: ["a"])
    let first = OdometryWorld.time(0)
    func stretched(_ time: Timestamp) -> Timestamp { first.advanced(bySeconds: factor * time.seconds(since: first)) }
    let slow = events.map { timed -> TimedEvent in
      switch timed.event {
      case .odometry(var pose):
        pose.timestamp = stretched(pose.timestamp)
        return TimedEvent(.odometry(pose))
      case .range(var range):
        range.timestamp = stretched(range.timestamp)
        return TimedEvent(.range(range))
      default: return timed
      }
    }
    let updates = Self.check(slow)
    #expect(updates.count < 10 * (600 + 2 * events.count) + events.count)
  }

  @Test func aTrackerThatJumpsAKilometre() {
    let events = OdometryWorld.events(seconds: 6, peers: ["a"]).map { event -> TimedEvent in
      guard case .odometry(var pose) = event.event, pose.timestamp > OdometryWorld.time(4) else { return event }
      pose.worldFromSensor.translation += Vector3(1000, 0, 0)
      return TimedEvent(.odometry(pose))
    }
    let updates = Self.check(events)
    #expect(updates.last?.object.worldPosition == nil, "nothing is known of the peer in the new world yet")
  }
}
