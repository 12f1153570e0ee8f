import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// Ranges that came before there was a trajectory.
@Suite struct RangesBeforeTrajectoryTests {
  /// An NLOS interval starts while a nearly still device waits for its first pose. The ranges of that time reveal it:
  /// when the trajectory starts, the NLOS bias is not taken for distance.
  @Test func anNLOSIntervalThatBeginsWhileWaitingIsDetected() throws {
    var counted = 0, nlos = 0
    for seed in 0..<8 as Range<UInt64> {
      let scenario = FaultyStream.scenario { $0.motion[0] = .motion(.hold(duration: 1.6)) }
      let simulator = try Simulator(scenario: scenario, seed: seed)
      let events = simulator.events().map { event in
        guard case .range(var range) = event.event, (0.7...1.5).contains(FaultyStream.seconds(range.timestamp))
        else { return event }
        range.range += 0.6
        return TimedEvent(.range(range), arrival: event.arrival)
      }
      let finder = PrecisionFinder(rig: simulator.rig, useOdometry: false)
      let updates = (events.flatMap { finder.process($0) } + finder.finish()).updates()
      for update in updates where FaultyStream.seconds(update.timestamp) < 1.5 {
        guard case .number(let losProbability)? = update.details["lineOfSight"] else { continue }
        counted += 1
        nlos += losProbability < 0.5 ? 1 : 0
      }
    }
    print("An NLOS interval that began while waiting was detected in \(nlos) of \(counted) updates.")
    // Of the eight or nine ranges of each search the first one or two cannot tell yet.
    #expect(counted > 20 && Double(nlos) > 0.8 * Double(counted))
  }
}
