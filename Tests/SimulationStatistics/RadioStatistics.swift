import Geometry
import Simulation
import SimulationTestSupport
import Testing

/// Antenna arrays with a lasting offset, over many draws.
@Suite struct RadioStatistics {
  /// All angles of an array have the same two biases, drawn for each seed.
  @Test func arrayOffsetsAreConstant() throws {
    var scenario = try Scenario.named("aoa").withoutErrors
    scenario.radio.angles?.noise = 1e-9
    func errors(seed: UInt64) throws -> [(azimuth: Double, elevation: Double)] {
      let right = try Simulator(scenario: scenario, seed: seed).ranges
      var other = scenario
      other.radio.angles?.offset = Angle.degrees(3)
      return zip(right, try Simulator(scenario: other, seed: seed).ranges).compactMap { right, off in
        guard let a = right.azimuth, let b = off.azimuth, let c = right.elevation, let d = off.elevation else {
          return nil
        }
        return (b - a, d - c)
      }
    }
    var squares: [Double] = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let errors = try errors(seed: seed)
      let first = try #require(errors.first)
      #expect(
        errors.allSatisfy { abs($0.azimuth - first.azimuth) < 1e-9 && abs($0.elevation - first.elevation) < 1e-9 })
      squares += [first.azimuth * first.azimuth, first.elevation * first.elevation]
    }
    // Forty squares of a normal number: 99 % of their means within 0.5 and 1.7 times the variance.
    let ratio = squares.reduce(0, +) / 40 / (Angle.degrees(3) * Angle.degrees(3))
    #expect((0.5...1.7).contains(ratio), "\(ratio)")
  }
}
