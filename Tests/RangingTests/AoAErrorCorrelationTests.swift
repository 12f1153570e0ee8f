import Foundation
import Ranging
import SensorData
import Simulation
import Testing

@Suite struct AoAErrorCorrelationTests {
  /// The weight of an angle after `count` pairs at 10 Hz whose successive errors have the correlation `rho`.
  static func weight(rho: Double, count: Int, seed: UInt64) -> Double {
    var random = SeededRandom(seed: seed)
    var correlation = AoAErrorCorrelation(assumed: 0.5)
    var (x, y) = (random.gaussian(), random.gaussian())
    for k in 0..<count {
      correlation.record([x, y], at: Timestamp(nanoseconds: Int64(k) * 100_000_000))
      let fresh = (1 - rho * rho).squareRoot()
      (x, y) = (rho * x + fresh * random.gaussian(), rho * y + fresh * random.gaussian())
    }
    return correlation.weight(after: 0.1)
  }

  /// The prior weight is the gap divided by the prior correlation time.
  @Test func startsAtThePrior() {
    let correlation = AoAErrorCorrelation(assumed: 0.5)
    #expect(abs(correlation.weight(after: 0.1) - 0.2) < 1e-12)
    #expect(
      correlation.weight(after: 0.5) == 1 && correlation.weight(after: 3) == 1 && correlation.weight(after: 0) == 0)
  }

  /// It converges to `(1 - rho) / (1 + rho)`: 1 for white errors.
  @Test(arguments: [0.0, 0.5, 0.8]) func correlationIsEstimated(rho: Double) {
    let mean = (1...20).reduce(0.0) { $0 + Self.weight(rho: rho, count: 2000, seed: UInt64($1)) } / 20
    #expect(abs(mean - (1 - rho) / (1 + rho)) < 0.05, "\(mean)")
  }

  /// Angles separated by a long gap form no pair.
  @Test func gapsCarryNoInformation() {
    var correlation = AoAErrorCorrelation(assumed: 0.5)
    for k in 0..<100 { correlation.record([Double(k % 2)], at: Timestamp(nanoseconds: Int64(k) * 5_000_000_000)) }
    #expect(abs(correlation.weight(after: 0.1) - 0.2) < 1e-12)
  }
}
