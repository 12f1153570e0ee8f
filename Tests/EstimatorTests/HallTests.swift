import Simulation
import Testing

/// A walk through a hall, where most of what is seen is far away.
@Suite struct HallTests {
  /// The way is not drawn short by what holds a standing hand: twenty metres walked, from a standing start in each of eight halls.
  @Test func aWalkIsAsLongAsItIs() throws {
    var scenario = try Scenario.named("long-walk")
    scenario.motion = Array(scenario.motion.prefix(2))
    let shares = try (1...8).map { seed in
      let run = try SimulatedRun(scenario, seed: UInt64(seed)).errors()
      let (first, last) = (run.rows[0], run.rows[run.rows.count - 1])
      let way = (last.estimate.translation - first.estimate.translation).norm
      return way / (last.truth.translation - first.truth.translation).norm - 1
    }
    let mean = shares.reduce(0, +) / Double(shares.count)
    print("hall: the way walked, relative to the truth, minus one:", shares)
    // Each is uncertain by about a per cent.
    #expect(abs(mean) < 0.01)
  }
}
