import Simulation
import Testing

/// Every built-in scenario, simulated.
@Suite struct ScenarioStatistics {
  static let builtIn = Scenario.builtIn.map(\.name)

  @Test(arguments: builtIn) func everyBuiltInScenarioHasItsRatesAndTracks(_ name: String) throws {
    let scenario = try Scenario.named(name)
    let simulator = try Simulator(scenario: scenario, seed: 1)
    let duration = simulator.motion.duration
    let events = simulator.events()
    let camera = scenario.camera
    var samples = 0
    var poses = 0
    var frames: [Int: Int] = [:]
    var ranges: [String: Int] = [:]
    var deviceEvents: [String] = []
    for event in events {
      switch event.event {
      case .imu: samples += 1
      case .frame(let frame):
        frames[frame.camera, default: 0] += 1
        let time = frame.timestamp.seconds(since: Simulator.start)
        let camera = try #require(camera)
        let isDark = camera.dark.contains { $0.contains(time) } || simulator.plan.pose(at: time).isOnItsLens
        let least = scenario.room.blank.isEmpty ? camera.tracks / 2 : camera.tracks / 4
        #expect(isDark ? frame.features.isEmpty : frame.features.count >= least)
        #expect(isDark ? frame.meanLuma! < 0.05 : abs(frame.meanLuma! - 0.5) < 0.1)
      case .range(let range): ranges[range.peer, default: 0] += 1
      case .odometry: poses += 1
      case .device(let event): deviceEvents.append(event.name)
      default: Issue.record("unexpected event \(event)")
      }
    }
    #expect(deviceEvents == scenario.events.map(\.name))
    let gaps = scenario.imu.gaps.map { $0.upperBound - $0.lowerBound }.reduce(0, +)
    #expect(abs(Double(samples) - (duration - gaps) * scenario.imu.rate) <= 2)
    #expect(abs(Double(poses) - duration * (scenario.odometry?.rate ?? 0)) <= 1)
    #expect(camera != nil || poses > 0)
    #expect(frames.keys.sorted() == (camera.map { $0.second == nil ? [0] : [0, 1] } ?? []))
    let isWhole = camera?.droppedShare ?? 0 == 0 && scenario.radio.silentShare == 0 && scenario.events.isEmpty
    for count in frames.values where isWhole { #expect(abs(Double(count) - duration * (camera?.rate ?? 0)) <= 1) }
    #expect(ranges.keys.sorted() == scenario.peers.map(\.id).sorted())
    for count in ranges.values where isWhole { #expect(Double(count) > 0.85 * duration * scenario.radio.rate) }
    for (earlier, later) in zip(events, events.dropFirst()) {
      #expect((earlier.event.timestamp, earlier.event.rank) <= (later.event.timestamp, later.event.rank))
    }
    for state in simulator.truth() {
      let p = state.worldFromBody.translation
      #expect(all(p .> scenario.room.low + 0.3) && all(p .< scenario.room.high - 0.3), "the hand leaves the room")
    }
  }
}
