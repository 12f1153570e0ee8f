import EstimatorTestSupport
import Simulation
import Testing

/// A walk through a hall where most points are far away.
@Suite struct HallTests {
  /// The stationary model does not shorten the trajectory: twenty metres from a stationary start in each of eight
  /// halls.
  @Test func distanceIsUnbiased() throws {
    var scenario = try Scenario.named("long-walk")
    scenario.motion = Array(scenario.motion.prefix(2))
    let ratios = try (1...8).map { seed in
      let run = try SimulatedRun(scenario, seed: UInt64(seed)).errors()
      let (first, last) = (run.rows[0], run.rows[run.rows.count - 1])
      let displacement = (last.estimate.translation - first.estimate.translation).norm
      return displacement / (last.truth.translation - first.truth.translation).norm - 1
    }
    let mean = ratios.reduce(0, +) / Double(ratios.count)
    print("hall: the distance walked, relative to the truth, minus one:", ratios)
    // Each has an uncertainty of about one per cent.
    #expect(abs(mean) < 0.01)
  }
}
