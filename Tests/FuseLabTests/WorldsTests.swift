import Simulation
import Testing
import fuse_lab

/// Random worlds: their scenarios, and what is said of two measurements.
@Suite struct WorldsTests {
  /// Every kind is a scenario that the simulator takes, in a room that is large enough.
  @Test(arguments: WorldKind.allCases) func aWorldOfAKindIsAScenario(_ kind: WorldKind) throws {
    var found = 0
    for seed in 1600..<1603 as Range<UInt64> {
      guard let world = try WorldScenario.inARoom(kind, seed: seed) else { continue }
      found += 1
      #expect(world.simulator.scenario.name == "world-\(seed)" && !world.simulator.scenario.peers.isEmpty)
      #expect(world.simulator.motion.duration > 18)
    }
    #expect(found >= 2)
  }

  /// The same seed is the same world in every kind but for what the kind adds.
  @Test func aKindAddsAndLeavesTheRest() {
    let plain = Set(WorldScenario.text(.plain, seed: 7, wall: 8).split(separator: "\n"))
    for (kind, changed) in [(WorldKind.bodies, 0), (.twins, 0), (.phones, 2), (.persons, 4)] {
      let other = Set(WorldScenario.text(kind, seed: 7, wall: 8).split(separator: "\n"))
      #expect(plain.subtracting(other).count <= changed, "\(kind)")
      #expect(plain != other, "\(kind)")
    }
  }

  /// The first line of a wall's world, as the Python that drew the recorded ones wrote it.
  @Test func numbersStandAsRecorded() {
    let lines = WorldScenario.text(.walls, seed: 1600, wall: 4).split(separator: "\n")
    #expect(lines.contains("  gyroscope_noise_density: 6.2e-05"))
    #expect(lines.first { $0.hasPrefix("walls:") }?.hasSuffix("opaque: false, landmarks: 0}]") == true)
  }

  /// Ten of twelve worlds are in both; expected are the figures that Python's bootstrap has of these rows.
  @Test func differencesOfMadeWorlds() throws {
    func world(_ number: Int, _ coverage: Double, _ converged: Double) -> (String, WorldsComparison.Counts) {
      (
        "\(number)",
        [
          ("coverage of angles %", 60 * coverage, 60), ("converged updates %", converged, 100),
          ("worlds that ever converge %", converged > 0 ? 1 : 0, 1), ("coverage while it moves %", 0, 0),
        ]
      )
    }
    let first = (0..<12).map { world($0, 0.8 + 0.01 * Double($0), $0.isMultiple(of: 2) ? 10 : 0) }
    let second = (2..<14).map { world($0, 0.82 + 0.008 * Double($0), 5) }
    let found = WorldsComparison(first, second)
    #expect(found.count == 10)
    #expect(
      found.text == """
        10 worlds

        | | first | second | difference | 95 % | ratio | 95 % |
        |---|---:|---:|---:|---:|---:|---:|
        | coverage of angles % | 86.50 | 87.20 | 0.70 | [0.34, 1.04] | 1.01 | [1.00, 1.01] |
        | converged updates % | 5.00 | 5.00 | 0.00 | [-3.00, 3.00] | 1.00 | [0.62, 2.50] |
        | worlds that ever converge % | 50.00 | 100.00 | 50.00 | [20.00, 80.00] | 2.00 | [1.25, 5.00] |
        | coverage while it moves % | - | - | - | - | - | - |

        """)
    // The same against itself differs in nothing; without a common world there is nothing to say.
    #expect(
      WorldsComparison(first, first).rows.allSatisfy { $0.difference ?? 0 == 0 && $0.differences ?? 0...0 == 0...0 })
    #expect(WorldsComparison(first, []).rows.isEmpty)
  }
}
