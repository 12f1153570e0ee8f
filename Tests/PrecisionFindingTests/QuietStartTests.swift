import Geometry
import PrecisionFinding
import SensorData
import Simulation
import Testing

/// What ranges tell that came before there was a trajectory.
@Suite struct QuietStartTests {
  /// The sight gets blocked while a quiet device waits for its first pose. The ranges of that time tell of it: when the trajectory begins, nobody
  /// takes the excess for distance.
  @Test func aSpellThatBeginsWhileWaitingIsNoticed() throws {
    var judged = 0, blocked = 0
    for seed in 0..<8 as Range<UInt64> {
      let scenario = FaultyStreamTests.scenario { $0.motion[0] = .motion(.hold(duration: 1.6)) }
      let simulator = try Simulator(scenario: scenario, seed: seed)
      let events = simulator.events().map { event in
        guard case .range(var range) = event.event, (0.7...1.5).contains(FaultyStreamTests.seconds(range.timestamp))
        else { return event }
        range.range += 0.6
        return TimedEvent(.range(range), arrival: event.arrival)
      }
      let finder = PrecisionFinder(rig: simulator.rig, useOdometry: false)
      let updates = (events.flatMap { finder.process($0) } + finder.finish()).updates()
      for update in updates where FaultyStreamTests.seconds(update.timestamp) < 1.5 {
        guard case .number(let free)? = update.details["lineOfSight"] else { continue }
        judged += 1
        blocked += free < 0.5 ? 1 : 0
      }
    }
    print("A spell that began while waiting was noticed in \(blocked) of \(judged) updates.")
    #expect(judged > 20 && Double(blocked) > 0.8 * Double(judged))
  }
}
