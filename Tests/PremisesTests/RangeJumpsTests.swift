import Foundation
import Premises
import SensorData
import Simulation
import Testing

@Suite struct RangeJumpsTests {
  private static func time(_ k: Int, _ interval: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64(Double(k) * interval * 1e9))
  }

  /// Two devices in turn are told within three seconds, at the rates of radios.
  @Test(arguments: [0.02, 0.05, 0.1]) func twoDevicesAreTold(interval: Double) {
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      var jumps = RangeJumps()
      let (a, b) = (random.uniform(1...10), random.uniform(1...10))
      guard abs(a - b) > 1.2 else { continue }
      for k in 0..<Int(3 / interval) {
        jumps.append((k % 2 == 0 ? a : b) + 0.1 * random.gaussian(), at: Self.time(k, interval))
      }
      let twins = jumps.twins
      #expect(twins.map { abs($0.near - min(a, b)) < 0.5 && abs($0.far - max(a, b)) < 0.5 } ?? false, "seed \(seed)")
    }
  }

  /// One device is never taken for two: white noise of any size, spells of NLOS, outliers, a walk.
  @Test(arguments: [0.03, 0.3, 2.0]) func oneDeviceIsNot(noise: Double) {
    var (alternating, count) = (0, 0)
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      var jumps = RangeJumps()
      var bias = 0.0
      for k in 0..<300 {
        if random.chance(bias > 0 ? 0.3 : 0.1) { bias = bias > 0 ? 0 : random.exponential(mean: 1.5) }
        let outlier = random.chance(0.03) ? random.uniform(-5...5) : 0
        jumps.append(
          8 + 0.07 * Double(k) + bias + outlier + noise * random.gaussian(), at: Self.time(k, 0.1))
        if k % 10 == 0 {
          count += 1
          alternating += jumps.twins == nil ? 0 : 1
        }
      }
    }
    #expect(alternating == 0, "of \(count)")
  }
}
