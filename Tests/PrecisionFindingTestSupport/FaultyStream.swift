import Geometry
import PrecisionFinding
import SensorData
import Simulation
import Testing

/// A search whose stream of events has faults.
package enum FaultyStream {
  /// Twelve seconds of an arm's swing before one peer.
  package static func scenario(_ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    let arc = HandMotion.arc(
      duration: 12, arm: 0.6, horizontal: .init(amplitude: 0.8), vertical: .init(amplitude: 0.4, period: 3))
    var scenario = Scenario(
      name: "search", summary: "-", peers: [.init(id: "tag", position: Vector3(4, -1.5, 0.2))],
      motion: [.motion(.hold(duration: 1)), .motion(arc), .motion(.hold(duration: 1))])
    scenario.camera!.tracks = 60
    change(&scenario)
    return scenario
  }

  /// A finder that starts from the truth; its outputs are in time order and finite.
  package static func run(
    _ scenario: Scenario, seed: UInt64 = 2, events change: ([TimedEvent]) -> [TimedEvent] = { $0 }
  ) throws -> (outputs: [FinderOutput], summary: FinderSummary, diagnoses: [String]) {
    let simulator = try Simulator(scenario: scenario, seed: seed)
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: false, initialState: simulator.truth()[0])
    let outputs = change(simulator.events()).flatMap { finder.process($0) } + finder.finish()
    let times = outputs.times
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(outputs.updates().allSatisfy { $0.numbers.allSatisfy(\.isFinite) })
    return (outputs, finder.summary, finder.diagnoses.map { "\($0)" })
  }

  /// Seconds since the start.
  package static func seconds(_ time: Timestamp) -> Double { time.seconds(since: Simulator.start) }
}
