import Foundation
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing
import fuse

/// What `fuse inspect` says, and that its figures are right.
@Suite struct InspectTests {
  @Test func quantilesAreWithinOnePercent() throws {
    var histogram = LogHistogram()
    for k in 1...10_000 { histogram.add(0.01 * Double(k)) }
    for share in [0.1, 0.5, 0.9] {
      let value = try #require(histogram.quantile(share))
      #expect(abs(value / (100 * share) - 1) < 0.011)
    }
    #expect(histogram.minimum == 0.01 && histogram.maximum == 100)
    #expect(LogHistogram().quantile(0.5) == nil)
  }

  @Test func holesAreFoundWhereTheyAre() throws {
    var meter = RateMeter()
    for k in 0..<1000 where !(400..<500).contains(k) { meter.note(Timestamp(nanoseconds: Int64(k) * 10_000_000)) }
    #expect(meter.holes.count == 1)
    #expect(meter.holes[0].at == Timestamp(nanoseconds: 3_990_000_000))
    #expect(abs(meter.holes[0].length - 1.01) < 1e-9)
    #expect(abs(try #require(meter.medianStep) - 0.01) < 1e-4)
  }

  /// White noise of 5 cm on a smooth walk, with gross outliers: the second differences see the 5 cm.
  @Test func rangeNoiseIgnoresMotionAndOutliers() throws {
    var random = SeededRandom(seed: 4)
    var ranges = PeerRanges()
    for k in 0..<3000 {
      let outlier = k.isMultiple(of: 25) ? 3.0 : 0
      let range = 6 + 3 * sin(0.02 * Double(k)) + 0.05 * random.gaussian() + outlier
      ranges.note(RangeMeasurement(timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000), peer: "a", range: range))
    }
    #expect(abs(try #require(ranges.noise) - 0.05) < 0.01)
  }

  /// A logger that writes each range five times is named; a radio that counts in centimetres is not.
  @Test func rangesThatAreSaidAgainAreCounted() throws {
    var (often, coarse) = (PeerRanges(), PeerRanges())
    var random = SeededRandom(seed: 8)
    for k in 0..<500 {
      let time = Timestamp(nanoseconds: Int64(k) * 20_000_000)
      often.note(RangeMeasurement(timestamp: time, peer: "a", range: 5 + 0.001 * Double(k / 5)))
      coarse.note(
        RangeMeasurement(timestamp: time, peer: "a", range: ((5 + 0.03 * random.gaussian()) * 100).rounded() / 100))
    }
    #expect(often.isRepeating && !coarse.isRepeating)
    #expect(!PeerRanges().isRepeating)
  }

  @Test func theQuietestSecondIsTheOneAtRest() throws {
    var quiet = QuietestSecond()
    for k in 0..<1000 {
      let time = 0.005 * Double(k)
      let shake = (2..<3).contains(time) ? 0.0 : 0.5 * sin(40 * time)
      quiet.note(
        IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(k) * 5_000_000), angularVelocity: .zero,
          specificForce: Vector3(0, 0, 9.7 + shake)))
    }
    let best = try #require(quiet.best)
    #expect(best.time == Timestamp(nanoseconds: 2_000_000_000))
    #expect(abs(best.meanForce - 9.7) < 1e-9)
  }

  @Test func aTinyRecordingIsTold() throws {
    let scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("in"))
    let run = try FuseProcess.run(["inspect", "in"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    for piece in [
      "imu0", "2500", "200.0 Hz", "cam0", "10.0 Hz", "tag", "3.50 m", "no gaps", "looks to +z", "no ground truth",
      "the trajectory comes from IMU and camera", "the light is not known",
    ] { #expect(run.stdout.contains(piece), "\(piece)") }
  }

  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message)))
  func realRecordingsAreTold() throws {
    func inspect(_ name: String) throws -> String {
      let run = try FuseProcess.run(["inspect", SharedData.recording(name).path])
      #expect(run.status == 0, "\(run.stderr)")
      return run.stdout
    }
    let tango = try inspect("real/tango-handheld")
    #expect(tango.contains("fov") && tango.contains("m/s^2 off: a large bias"))
    let starloc = try inspect("real/starloc-loop-2d-fast_s1")
    #expect(starloc.contains("8 peers") && starloc.contains("hangs upside down"))
    #expect(starloc.contains("the trajectory comes from odometry0"))
  }
}
