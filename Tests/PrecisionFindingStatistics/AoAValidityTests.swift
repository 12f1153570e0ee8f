import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import Simulation
import TestSupport
import Testing

/// Consistent and inconsistent AoA, on the true path.
@Suite struct AoAValidityTests {
  private static let seeds: ClosedRange<UInt64> = 1...12

  private static func run(
    _ name: String, seed: UInt64, invalidPrior: Double? = nil, rotating: Bool = false
  ) throws -> (updates: [NearbyUpdate], simulator: Simulator) {
    var scenario = try Scenario.named(name).withExternalOdometry
    if rotating {
      let rotations = [1.0, -2, 1].map { HandMotion.turn(duration: 3, angle: Angle.degrees(60) * $0, arm: 0) }
      scenario.motion = ([.hold(duration: 1.5)] + rotations).map { .motion($0) }
    }
    let simulator = try Simulator(scenario: scenario, seed: seed)
    var configuration = FinderConfiguration()
    if let invalidPrior {
      configuration.aoaInvalidPrior = invalidPrior
      // AoA without a bias model.
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
    guard case .obstacles(let found)? = update.details["findings"] else { return false }
    return found.contains { $0.obstacle == .aoaInconsistent }
  }

  /// Number of runs that converge with an angle over 20 degrees off, that end with the AoA rejected, and that end with
  /// an angle within 20 degrees.
  private static func tally(_ name: String, invalidPrior: Double? = nil) throws -> (
    falsely: Int, refuted: Int, right: Int
  ) {
    var tally = (falsely: 0, refuted: 0, right: 0)
    for seed in seeds {
      let (updates, simulator) = try run(name, seed: seed, invalidPrior: invalidPrior)
      func isOff(_ update: NearbyUpdate) -> Bool? {
        SimulatedSearch.angleError(update, simulator).map { abs($0) > .pi / 9 }
      }
      if updates.contains(where: { $0.convergence.status == .converged && isOff($0) == true }) { tally.falsely += 1 }
      let last = try #require(updates.last)
      if isRefuted(last) { tally.refuted += 1 }
      if let last = updates.last(where: { $0.object.horizontalAngle != nil }), isOff(last) == false { tally.right += 1 }
    }
    print("\(name), \(invalidPrior.map { "prior \($0)" } ?? "as it comes"): of \(seeds.count) runs \(tally)")
    return tally
  }

  @Test(arguments: ["mc-aoa-mirrored", "mc-aoa-turned"])
  func inconsistentAnglesAreRefuted(name: String) throws {
    let tested = try Self.tally(name)
    expectFrequency(tested.falsely, of: Self.seeds.count, atMost: 0.01, risk: 0.01, "falsely converged")
    expectFrequency(tested.right, of: Self.seeds.count, atLeast: 0.9, "right")
    expectFrequency(tested.refuted, of: Self.seeds.count, atLeast: 0.9, "refuted")
    let trusted = try Self.tally(name, invalidPrior: 0)
    expectFrequency(trusted.falsely, of: Self.seeds.count, atLeast: 0.9, "misled without the test")
  }

  /// One in twelve may be: the noise model learnt beside a narrow posterior may predict ranges worse than one beside a
  /// wide posterior. The angle stays right.
  @Test func rightAnglesAreSeldomRefuted() throws {
    let tally = try Self.tally("mc-aoa")
    #expect(tally.falsely == 0 && tally.refuted <= 1 && tally.right == Self.seeds.count)
  }

  /// Rotating on the spot, a planar array resolves ahead from behind, and hardly a range confirms it: an angle, and no
  /// convergence to speak of.
  @Test(arguments: [1, 5, 8] as [UInt64]) func anglesOfADeviceThatOnlyRotatesDoNotConverge(seed: UInt64) throws {
    let updates = try Self.run("mc-aoa", seed: seed, rotating: true).updates
    #expect(updates.contains { $0.object.horizontalAngle != nil })
    let converged = updates.count { $0.convergence.status == .converged }
    print("rotating, seed \(seed): \(converged) of \(updates.count) updates converged")
    #expect(50 * converged <= updates.count)
    let trusted = try Self.run("mc-aoa", seed: seed, invalidPrior: 0, rotating: true).updates
    #expect(trusted.contains { $0.convergence.status == .converged })
  }
}
