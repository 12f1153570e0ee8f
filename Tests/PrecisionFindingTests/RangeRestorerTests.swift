import Foundation
import Geometry
import PrecisionFinding
import SensorData
import Simulation
import Testing

@Suite struct RangeRestorerTests {
  /// Along a line every filter reports the place of its mean age ago, once it is full; an exponential mean is restored to the range of the present place.
  @Test(arguments: [RangeFilter.mean(count: 10), .exponential(weight: 0.2), .lag(seconds: 0.37)])
  func alongALine(filter: RangeFilter) {
    var restorer = RangeRestorer(filter)
    var found = Vector3.zero
    for k in 0...200 {
      found = restorer.visit(Vector3(0.05 * Double(k), 1, 0), at: Timestamp(nanoseconds: Int64(k) * 100_000_000))
    }
    var age = filter.delay(interval: 0.1)
    if case .exponential = filter { age = 0 }
    #expect(abs(found.x - (10 - 0.5 * age)) < 1e-9 && found.y == 1)
  }

  /// At rest, and without a memory, the place is the present one and the range the reported one.
  @Test func withoutAMemory() {
    for filter in [RangeFilter.mean(count: 1), .exponential(weight: 1), .lag(seconds: 0)] {
      var restorer = RangeRestorer(filter)
      for k in 0..<5 {
        let place = Vector3(Double(k), 0, 2)
        #expect(restorer.visit(place, at: Timestamp(nanoseconds: Int64(k) * 100_000_000)) == place)
        #expect(restorer.restore(3 + Double(k)) == 3 + Double(k))
      }
    }
  }

  /// Restored ranges have independent noise: of an exponential mean the raw ranges, of a mean of n one in n with a variance of 1/n.
  @Test func restoredNoiseIsWhite() {
    var random = SeededRandom(seed: 5)
    let raw = (0..<6000).map { _ in 5 + 0.1 * random.gaussian() }
    var (mean, exponential) = (RangeRestorer(.mean(count: 6)), RangeRestorer(.exponential(weight: 0.2)))
    var (smoothed, restored, means) = (raw[0], [Double](), [Double]())
    for k in raw.indices {
      smoothed = k == 0 ? raw[0] : smoothed + 0.2 * (raw[k] - smoothed)
      restored.append(exponential.restore(smoothed)!)
      let window = raw[max(k - 5, 0)...k]
      if let value = mean.restore(window.reduce(0, +) / Double(window.count)) { means.append(value) }
    }
    #expect(zip(raw, restored).allSatisfy { abs($0 - $1) < 1e-9 })
    #expect(means.count == 1000)
    // The first window is not full. 3 sigmas of a variance and of a correlation of 999 values.
    let errors = means.dropFirst().map { $0 - 5 }
    let variance = errors.reduce(0) { $0 + $1 * $1 } / 999
    #expect(abs(variance / (0.01 / 6) - 1) < 3 * (2.0 / 999).squareRoot())
    let correlation = zip(errors, errors.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / 998 / variance
    #expect(abs(correlation) < 3 / 998.0.squareRoot())
  }

  /// Rounding to r has the variance `r^2 / 12`; restored, it is larger by `roundingGain`.
  @Test func roundingIsAmplified() {
    var random = SeededRandom(seed: 6)
    var restorer = RangeRestorer(.exponential(weight: 0.25))
    var (smoothed, errors) = (5.0, [Double]())
    for k in 0..<4000 {
      let raw = 5 + 0.1 * random.gaussian()
      smoothed = k == 0 ? raw : smoothed + 0.25 * (raw - smoothed)
      errors.append(restorer.restore((smoothed * 100).rounded() / 100)! - raw)
    }
    let variance = errors.dropFirst().reduce(0) { $0 + $1 * $1 } / 3999
    #expect(abs(variance / (restorer.roundingGain * 1e-4 / 12) - 1) < 0.1)
  }
}
