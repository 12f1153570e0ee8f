import EstimatorTestSupport
import Testing

/// Monte Carlo: the errors match the covariance.
@Suite struct ConsistencyTests {
  /// Sixteen runs of three components each: at any moment their mean lies between 1.5 and 5.3 with probability 99.9 %;
  /// the mean over the run varies less.
  @Test func neesIsConsistent() throws {
    let runs = try (1...16).map { try ConsistencyRun(seed: UInt64($0), seconds: 15) }
    let position = runs.reduce(0.0) { $0 + $1.position } / 16
    let attitude = runs.reduce(0.0) { $0 + $1.attitude } / 16
    print("NEES over 16 seeds: position \(position), attitude \(attitude)")
    #expect(position > 1.5 && position < 5.3)
    #expect(attitude > 1.5 && attitude < 5.3)
    #expect(runs.allSatisfy { $0.landmarks >= 20 })
  }
}
