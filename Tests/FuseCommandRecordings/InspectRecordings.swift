import FuseCommandTestSupport
import TestSupport
import Testing

/// `fuse inspect` on real recordings.
@Suite struct InspectRecordings {
  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message)))
  func realRecordingsAreReported() throws {
    func inspect(_ name: String) throws -> String {
      let run = try FuseProcess.run(["inspect", SharedData.recording(name).path])
      #expect(run.status == 0, "\(run.stderr)")
      return run.stdout
    }
    let tango = try inspect("real/tango-handheld")
    #expect(tango.contains("fov") && tango.contains("m/s^2 off: a large bias"))
    let starloc = try inspect("real/starloc-loop-2d-fast_s1")
    #expect(starloc.contains("8 peers") && starloc.contains("upside down"))
    #expect(starloc.contains("the trajectory comes from odometry0"))
  }
}
