import FuseCommandTestSupport
import TestSupport
import Testing

/// Whole runs on recordings of real sensors, against the project's requirements.
@Suite(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message)), .serialized)
struct RealRecordingTests {
  /// A real phone: IMU and feature tracks, 50 m by hand.
  @Test func aPhoneFindsItsTrajectoryAndItsTag() throws {
    let (result, seconds) = try RunResult.running(SharedData.recording("real/tango-handheld"))
    #expect(seconds < 60, "slower than real time")
    let errors = try #require(result.errors)
    #expect(try #require(errors.trajectory).ateYawAligned <= 1.2)
    let tag = try #require(errors.peers["tag"])
    let final = try #require(tag.angleErrorDegrees).final
    #expect(final <= 5)
    #expect(final <= 2 * (try #require(tag.finalIntervalHalfWidthDegrees)))
  }

  /// Real radios, a given trajectory: every anchor is a peer; both requirements are over all twelve.
  @Test func anchorsAreFound() throws {
    var finals: [Double] = []
    var converged = 0
    var wrong = 0.0
    for name in ["real/starloc-loop-2d_s5", "real/starloc-loop-2d-fast_s1"] {
      let errors = try #require(try RunResult.running(SharedData.recording(name)).result.errors)
      finals += errors.peers.values.compactMap { $0.angleErrorDegrees?.final }
      converged += errors.peers.values.reduce(0) { $0 + $1.converged }
      wrong += errors.peers.values.reduce(0) { $0 + Double($1.converged) * ($1.falseConverged ?? 0) }
    }
    #expect(finals.count == 12)
    #expect(finals.count { $0 <= 3 } >= 10, "\(finals.sorted())")
    #expect(converged > 0)
    #expect(wrong < 0.01 * Double(converged), "\(wrong) of \(converged) converged updates are false")
  }

  /// Real odometry that drifts, four antennas, two nodes. In its second half the tracker's path is named
  /// late, and no angle rests on it.
  @Test func nodeIntervalsAreConsistent() throws {
    let errors = try #require(
      try RunResult.running(SharedData.recording("real/ntu-niv20170812_3")).result.errors)
    for node in ["node-0", "node-1"] {
      let figures = try #require(errors.peers[node], "\(node)")
      #expect(figures.intervals > figures.judged / 3)
      #expect(try #require(figures.coverage90Tolerant) >= 0.8, "\(node)")
    }
  }
}
