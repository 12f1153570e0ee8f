import Foundation
import LeastSquares
import Simulation
import Testing

/// Against tabulated values: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4.
@Suite struct StatisticsTests {
  @Test(arguments: [
    (0.95, 3.0, 7.815), (0.05, 3, 0.352), (0.99, 1, 6.635), (0.999, 10, 29.588), (0.5, 2, 2 * log(2.0)),
    (0.95, 100, 124.342),
    (0.01, 100, 70.065),
  ])
  func quantilesAreTheTables(probability: Double, degrees: Double, value: Double) {
    #expect(abs(ChiSquared.quantile(probability, degreesOfFreedom: degrees) - value) < 6e-4)
  }

  @Test(arguments: [0.5, 1, 2, 3, 7, 50, 600])
  func cumulativeAndQuantileAreInverse(degrees: Double) {
    for probability in [1e-4, 0.005, 0.3, 0.5, 0.9, 0.995, 0.9999] {
      let x = ChiSquared.quantile(probability, degreesOfFreedom: degrees)
      #expect(abs(ChiSquared.cumulative(x, degreesOfFreedom: degrees) - probability) < 1e-9)
    }
    #expect(ChiSquared.cumulative(-1, degreesOfFreedom: degrees) == 0)
  }

  /// The 99 % band of the literature for 200 runs of three components.
  @Test func theBandOfManyRuns() {
    let band = ChiSquared.band99(degreesOfFreedom: 3, count: 200)
    #expect(abs(band.lowerBound - 2.57) < 0.01 && abs(band.upperBound - 3.46) < 0.01)
  }

  /// The closed form of the gates is off by these per cents.
  @Test(arguments: [(1, [2.5, 3.1, 7.2]), (2, [0.95, 2.4, 4.8]), (3, [0.52, 1.8, 3.5]), (10, [0.1, 0.6, 1.2])])
  func gatesAreNearTheQuantiles(rows: Int, perCents: [Double]) {
    let gates = [
      (ChiSquared.gate95(rows), 0.95), (ChiSquared.gate999(rows), 0.999), (ChiSquared.gate9999(rows), 0.9999),
    ]
    for ((gate, probability), perCent) in zip(gates, perCents) {
      let exact = ChiSquared.quantile(probability, degreesOfFreedom: Double(rows))
      #expect(100 * abs(gate / exact - 1) < perCent, "\(gate) for \(exact)")
    }
  }

  /// A fifth of outliers moves neither the median nor the deviation by much.
  @Test func outliersDoNotCount() throws {
    var source = SeededRandom(seed: 5)
    let errors = (0..<5000).map { $0 % 5 == 0 ? 100 : 2 + 0.5 * source.gaussian() }
    let median = try #require(errors.median)
    #expect(abs(median - 2) < 0.25)
    #expect(abs(try #require(errors.robustDeviation(about: 2)) - 0.5) < 0.2)
    #expect([3.0, 1, 2].median == 2 && [4.0, 1, 3, 2].median == 3)
    var state: UInt64 = 7
    for count in 1...200 {
      // Every third time values that occur more than once; every fourth in order.
      var values = (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 40) / (count % 3 == 0 ? 4e6 : 1)
      }
      if count % 3 == 0 { values = values.map { $0.rounded() } }
      if count % 4 == 0 { values.sort() }
      #expect(values.median == values.sorted()[count / 2], "\(count) values")
    }
    #expect([Double]().median == nil && [Double]().robustDeviation() == nil)
  }
}
