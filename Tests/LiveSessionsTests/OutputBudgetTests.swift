import LiveSessions
import SensorData
import Testing

/// How many updates measurements may make: pure.
@Suite struct OutputBudgetTests {
  private static func range(_ seconds: Int64, _ peer: String = "tag") -> SensorEvent {
    .range(
      RangeMeasurement(
        timestamp: Timestamp(nanoseconds: seconds * 1_000_000_000), peer: peer, range: 1, standardDeviation: 0.1))
  }

  @Test func aDeviceThatMeasuresIsNeverStopped() {
    var budget = OutputBudget(updateInterval: 0.01)
    // An hour of two peers, ten ranges a second each, a hundred updates a second and peer.
    for second in Int64(0)..<3600 {
      for peer in ["a", "b"] {
        for _ in 0..<10 {
          let isPermitted = budget.permits(Self.range(second, peer))
          #expect(isPermitted)
        }
      }
      budget.spend(200)
      #expect(!budget.isExceeded)
    }
    #expect(budget.made == 720_000)
  }

  /// A silence of ten minutes passes; batch upon batch of stamps far apart does not.
  @Test func stampsFarApartAreStopped() {
    var budget = OutputBudget(updateInterval: 0.1)
    var permitted = 0
    for k in Int64(0)..<40 {
      guard budget.permits(Self.range(k * 1_000_000)) else { break }
      permitted += 1
      if k > 0 { budget.spend(6000) }
    }
    // 20000 updates, and 50 for each of the five measurements.
    #expect(permitted == 4 && budget.made == 18_000)
  }

  @Test func aSilenceOfManyPeersIsStoppedBeforeItIsFilled() {
    var budget = OutputBudget(updateInterval: 0.01)
    let permitted = (0..<64).map { budget.permits(Self.range(1, "\($0)")) }
    #expect(!permitted.contains(false))
    // 64 peers, 600 s, a hundred a second: 3.8 million.
    let isPermitted = budget.permits(Self.range(700))
    #expect(!isPermitted && budget.made == 0)
  }

  @Test func stampsAtTheEndsOfTime() {
    var budget = OutputBudget(updateInterval: 0.1)
    let first = SensorEvent.range(
      RangeMeasurement(timestamp: Timestamp(nanoseconds: .min), peer: "a", range: 1, standardDeviation: 0.1))
    let last = SensorEvent.range(
      RangeMeasurement(timestamp: Timestamp(nanoseconds: .max), peer: "a", range: 1, standardDeviation: 0.1))
    let permitted = [first, last, first].map { budget.permits($0) }
    #expect(permitted == [true, true, true])
  }
}
