import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// STAR-loc as downloaded imports to what was once made of it by hand.
@Suite struct ImportRecordings {
  @Test(.enabled(if: SharedData.isHere, "\(SharedData.message)")) func starlocGivesTheSameAnswer() throws {
    let shared = try #require(SharedData.root)
    let scratch = try Scratch()
    let made = try FuseProcess.run(
      ["import", "starloc", shared.appendingPathComponent("foreign/starloc").path, "-o", "walk"], in: scratch.url)
    #expect(made.status == 0, "\(made.stdout)\(made.stderr)")
    let reference = shared.appendingPathComponent("real/starloc-loop-2d-fast_s1").path
    for (folder, output) in [("walk", "new"), (reference, "old")] {
      #expect(try FuseProcess.run(["run", folder, "-o", output, "--quiet"], in: scratch.url, limit: 600).status == 0)
    }
    #expect(try scratch.bytes("new/updates.jsonl") == scratch.bytes("old/updates.jsonl"))
    #expect(try scratch.bytes("new/trajectory.tum") == scratch.bytes("old/trajectory.tum"))
  }
}
