import Foundation
import Geometry
import Inertial
import SensorData
import Simulation
import Testing

@Suite struct SaturationDetectorTests {
  /// A swing beyond the range: every saturated reading is counted once, the first pair together.
  @Test func saturatedReadingsAreCounted() {
    var source = SeededRandom(seed: 1)
    var detector = SaturationDetector(smallestRange: 2)
    var counted = 0, saturation = 0
    for i in 0..<4000 {
      let motion = 6 * sin(0.02 * Double(i)) + 0.01 * source.gaussian()
      let reading = min(max(motion, -4.4), 4.4)
      if abs(reading) == 4.4 { saturation += 1 }
      counted += detector.count(Vector3(0.1 * source.gaussian(), reading, 0))
    }
    #expect(detector.rangeLimit == 4.4)
    #expect(abs(counted - saturation) <= 1 && saturation > 1000)
  }

  /// Stationary data with coarse quantisation, and lively motion below the range, are not saturated.
  @Test func repeatedReadingsAreNotAlwaysSaturated() {
    var source = SeededRandom(seed: 2)
    var detector = SaturationDetector(smallestRange: 19)
    for i in 0..<5000 {
      let gravity = (9.81 + 0.02 * source.gaussian()) * 10
      let swing = i % 2000 > 1000 ? 25 * sin(0.03 * Double(i)) + 0.03 * source.gaussian() : 0
      #expect(detector.count(Vector3(0, swing, gravity.rounded() / 10)) == 0)
    }
    #expect(detector.rangeLimit == nil)
  }

  /// An assumed range limit is dropped once it is exceeded.
  @Test func aLargerReadingResetsTheRangeLimit() {
    var detector = SaturationDetector(smallestRange: 2)
    #expect([3.0, 3, 3].map { detector.count(Vector3($0, 0, 0)) } == [0, 2, 1])
    #expect(detector.count(Vector3(3.5, 0, 0)) == 0 && detector.rangeLimit == nil)
    #expect(detector.count(Vector3(3, 0, 0)) == 0)
  }

  @Test func theBufferReportsSaturatedSteps() {
    var buffer = IMUBuffer()
    func at(_ i: Int) -> Timestamp { Timestamp(nanoseconds: Int64(i) * 5_000_000) }
    for i in 0..<100 {
      let rate = (40..<50).contains(i) ? 4.4 : 0.01 * Double(i % 7)
      _ = buffer.add(
        IMUSample(timestamp: at(i), angularVelocity: Vector3(0, rate, 0), specificForce: Vector3(0, 0, 9.81)))
    }
    #expect(buffer.saturation(from: at(10), to: at(20)) == (0, 0))
    #expect(buffer.saturation(from: at(38), to: at(39)) == (0, 0))
    #expect(buffer.saturation(from: at(39), to: at(40)) == (4.4, 0))
    #expect(buffer.saturation(from: at(44), to: at(45)) == (4.4, 0))
    #expect(
      buffer.saturation(from: at(49).advanced(bySeconds: 0.001), to: at(49).advanced(bySeconds: 0.002)) == (4.4, 0))
    #expect(buffer.saturation(from: at(50), to: at(60)) == (0, 0))
    #expect(IMUBuffer().saturation(from: at(0), to: at(1)) == (0, 0))
  }

  @Test func theLongestGapIncludesTheSurroundingSamples() {
    var buffer = IMUBuffer()
    func at(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }
    for time in [0, 10, 20, 320, 330] as [Int64] {
      _ = buffer.add(IMUSample(timestamp: at(time), angularVelocity: .zero, specificForce: .zero))
    }
    #expect(buffer.longestGap(from: at(0), to: at(20)) == 0.01)
    #expect(buffer.longestGap(from: at(0), to: at(330)) == 0.3)
    #expect(buffer.longestGap(from: at(100), to: at(200)) == 0.3)
    #expect(buffer.longestGap(from: at(325), to: at(1330)) == 1)
    #expect(IMUBuffer().longestGap(from: at(0), to: at(50)) == 0.05)
  }
}
