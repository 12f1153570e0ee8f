import Foundation
import Geometry
import PrecisionFinding
import SensorData
import Simulation
import Testing

/// Angles of arrival that mean what is said of them, and such that do not, on the true path.
@Suite struct AoAValidityTests {
  private static let seeds: ClosedRange<UInt64> = 1...12

  private static func run(
    _ name: String, seed: UInt64, astray: Double? = nil, turning: Bool = false
  ) throws -> (updates: [NearbyUpdate], simulator: Simulator) {
    var scenario = try Scenario.named(name).followedByOdometry
    if turning {
      let turns = [1.0, -2, 1].map { HandMotion.turn(duration: 3, angle: Angle.degrees(60) * $0, arm: 0) }
      scenario.motion = ([.hold(duration: 1.5)] + turns).map { .motion($0) }
    }
    let simulator = try Simulator(scenario: scenario, seed: seed)
    var configuration = FinderConfiguration()
    if let astray {
      configuration.aoaInvalidPrior = astray
      // On their word altogether.
      configuration.ranging.aoaBiasDegrees = 0
    }
    let finder = PrecisionFinder(rig: simulator.rig, configuration: configuration, useOdometry: true)
    let outputs = simulator.events().flatMap { finder.process($0) } + finder.finish()
    let updates = outputs.compactMap { output -> NearbyUpdate? in
      guard case .update(let update) = output else { return nil }
      return update
    }
    return (updates, simulator)
  }

  private static func isRefuted(_ update: NearbyUpdate) -> Bool {
    guard case .findings(let found)? = update.details["findings"] else { return false }
    return found.contains { $0.finding == .aoaInconsistent }
  }

  /// Runs that converge with an angle over 20 degrees off, that end with the angles refuted, and that end with an angle within 20 degrees.
  private static func tally(_ name: String, astray: Double? = nil) throws -> (falsely: Int, refuted: Int, right: Int) {
    var tally = (falsely: 0, refuted: 0, right: 0)
    for seed in seeds {
      let (updates, simulator) = try run(name, seed: seed, astray: astray)
      func isOff(_ update: NearbyUpdate) -> Bool? {
        PromiseTests.angleError(update, simulator).map { abs($0) > .pi / 9 }
      }
      if updates.contains(where: { $0.convergence.status == .converged && isOff($0) == true }) { tally.falsely += 1 }
      let last = try #require(updates.last)
      if isRefuted(last) { tally.refuted += 1 }
      if let last = updates.last(where: { $0.object.horizontalAngle != nil }), isOff(last) == false { tally.right += 1 }
    }
    print("\(name), \(astray.map { "doubted \($0)" } ?? "as it comes"): of \(seeds.count) runs \(tally)")
    return tally
  }

  @Test(arguments: ["mc-aoa-mirrored", "mc-aoa-turned"])
  func anglesThatMisleadAreFoundOut(name: String) throws {
    let doubted = try Self.tally(name)
    #expect(doubted.falsely <= 1)
    #expect(2 * doubted.right > Self.seeds.count && 2 * doubted.refuted > Self.seeds.count)
    let believed = try Self.tally(name, astray: 0)
    #expect(2 * believed.falsely > Self.seeds.count, "without the doubt the test would be none")
  }

  /// One in twelve may be: what was learnt of the radio beside a narrow belief may foretell its ranges worse than a wide one does. The arrow stays right.
  @Test func rightAnglesAreSeldomRefuted() throws {
    let tally = try Self.tally("mc-aoa")
    #expect(tally.falsely == 0 && tally.refuted <= 1 && tally.right == Self.seeds.count)
  }

  /// Turning on the spot tells a planar array ahead from behind, and nothing bears the angles out: an arrow, and no convergence.
  @Test(arguments: [1, 5, 8] as [UInt64]) func anglesOfADeviceThatOnlyTurnsDoNotConverge(seed: UInt64) throws {
    let updates = try Self.run("mc-aoa", seed: seed, turning: true).updates
    #expect(updates.contains { $0.object.horizontalAngle != nil })
    #expect(updates.allSatisfy { $0.convergence.status != .converged })
    let believed = try Self.run("mc-aoa", seed: seed, astray: 0, turning: true).updates
    #expect(believed.contains { $0.convergence.status == .converged })
  }
}
