import Foundation
import FuseCommandTestSupport
import SensorData
import Simulation
import Testing
import fuse

/// Output and figures of `fuse inspect`.
@Suite struct InspectTests {
  @Test func quantilesAreWithinOnePercent() throws {
    var histogram = LogHistogram()
    for k in 1...10_000 { histogram.add(0.01 * Double(k)) }
    for p in [0.1, 0.5, 0.9] {
      let value = try #require(histogram.quantile(p))
      #expect(abs(value / (100 * p) - 1) < 0.011)
    }
    #expect(histogram.minimum == 0.01 && histogram.maximum == 100)
    #expect(LogHistogram().quantile(0.5) == nil)
  }

  @Test func gapsAreFound() throws {
    var meter = RateMeter()
    for k in 0..<1000 where !(400..<500).contains(k) { meter.add(Timestamp(nanoseconds: Int64(k) * 10_000_000)) }
    #expect(meter.gaps.count == 1)
    #expect(meter.gaps[0].at == Timestamp(nanoseconds: 3_990_000_000))
    #expect(abs(meter.gaps[0].length - 1.01) < 1e-9)
    #expect(abs(try #require(meter.medianStep) - 0.01) < 1e-4)
  }

  /// White noise of 5 cm on smooth motion, with outliers: the second differences recover the 5 cm.
  @Test func rangeNoiseIgnoresMotionAndOutliers() throws {
    var random = SeededRandom(seed: 4)
    var ranges = PeerRanges()
    for k in 0..<3000 {
      let outlier = k.isMultiple(of: 25) ? 3.0 : 0
      let range = 6 + 3 * sin(0.02 * Double(k)) + 0.05 * random.gaussian() + outlier
      ranges.add(RangeMeasurement(timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000), peer: "a", range: range))
    }
    #expect(abs(try #require(ranges.noise) - 0.05) < 0.01)
  }

  /// A logger that writes each range five times is detected; rounding to centimetres is not.
  @Test func repeatedRangesAreCounted() throws {
    var (often, coarse) = (PeerRanges(), PeerRanges())
    var random = SeededRandom(seed: 8)
    for k in 0..<500 {
      let time = Timestamp(nanoseconds: Int64(k) * 20_000_000)
      often.add(RangeMeasurement(timestamp: time, peer: "a", range: 5 + 0.001 * Double(k / 5)))
      coarse.add(
        RangeMeasurement(timestamp: time, peer: "a", range: ((5 + 0.03 * random.gaussian()) * 100).rounded() / 100))
    }
    #expect(often.isRepeating && !coarse.isRepeating)
    #expect(!PeerRanges().isRepeating)
  }

  @Test func aTinyRecordingIsReported() throws {
    let scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("in"))
    let run = try FuseProcess.run(["inspect", "in"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    for piece in [
      "imu0", "2500", "200.0 Hz", "cam0", "10.0 Hz", "tag", "3.50 m", "no gaps", "looks to +z", "no ground truth",
      "the trajectory comes from IMU and camera", "the light is not known",
    ] { #expect(run.stdout.contains(piece), "\(piece)") }
  }
}
