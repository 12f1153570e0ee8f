import Foundation
import Ranging
import SensorData
import Simulation
import Testing

@Suite struct AoAErrorCorrelationTests {
  /// The worth of an angle after `count` pairs at 10 Hz whose errors are correlated by `rho` from one to the next.
  static func worth(rho: Double, count: Int, seed: UInt64) -> Double {
    var random = SeededRandom(seed: seed)
    var memory = AoAErrorCorrelation(assumed: 0.5)
    var (x, y) = (random.gaussian(), random.gaussian())
    for k in 0..<count {
      memory.note([x, y], at: Timestamp(nanoseconds: Int64(k) * 100_000_000))
      let fresh = (1 - rho * rho).squareRoot()
      (x, y) = (rho * x + fresh * random.gaussian(), rho * y + fresh * random.gaussian())
    }
    return memory.worth(after: 0.1)
  }

  /// Before anything is known, an angle is worth its share of the memory that is assumed.
  @Test func whatIsAssumedHoldsAtFirst() {
    let memory = AoAErrorCorrelation(assumed: 0.5)
    #expect(abs(memory.worth(after: 0.1) - 0.2) < 1e-12)
    #expect(memory.worth(after: 0.5) == 1 && memory.worth(after: 3) == 1 && memory.worth(after: 0) == 0)
  }

  /// In the end it is worth `(1 - rho) / (1 + rho)`: 1 of white angles.
  @Test(arguments: [0.0, 0.5, 0.8]) func theAnglesTellTheirOwnMemory(rho: Double) {
    let mean = (1...20).reduce(0.0) { $0 + Self.worth(rho: rho, count: 2000, seed: UInt64($1)) } / 20
    #expect(abs(mean - (1 - rho) / (1 + rho)) < 0.05, "\(mean)")
  }

  /// A pause teaches nothing: its angles are no neighbours.
  @Test func aPauseTellsNothing() {
    var memory = AoAErrorCorrelation(assumed: 0.5)
    for k in 0..<100 { memory.note([Double(k % 2)], at: Timestamp(nanoseconds: Int64(k) * 5_000_000_000)) }
    #expect(abs(memory.worth(after: 0.1) - 0.2) < 1e-12)
  }
}
