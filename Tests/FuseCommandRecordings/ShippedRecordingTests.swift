import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// The recordings that ship; the demo as the README's first command runs it.
@Suite struct ShippedRecordingTests {
  @Test func theDemoEndsWithTheTagFound() throws {
    let (result, _) = try RunResult.running(Repository.root.appendingPathComponent("datasets/demo"))
    let tag = try #require(result.peers["tag"])
    #expect(tag.updates >= 200)
    #expect(tag.convergedAt != nil)
    #expect(result.counts.internalErrors == 0)
    let errors = try #require(result.errors)
    #expect(try #require(errors.trajectory).ateYawAligned < 0.1)
    let judged = try #require(errors.peers["tag"])
    #expect(judged.judged >= 200)
    // The last interval contains the truth, and is narrow enough to follow.
    let halfWidth = try #require(judged.finalIntervalHalfWidthDegrees)
    #expect(try #require(judged.angleErrorDegrees).final < halfWidth && halfWidth < 10)
    #expect(judged.falseConverged == 0)
  }
  private static let others = [
    "still", "straight", "arc", "arc-above", "search", "two-peers", "nlos", "dark", "approach", "moving", "arc-aoa",
  ]

  @Test(arguments: others)
  func everyRecordingRunsAndIsJudged(_ name: String) throws {
    let (result, _) = try RunResult.running(Repository.root.appendingPathComponent("datasets/\(name)"))
    #expect(result.counts.internalErrors == 0)
    #expect(result.peers.keys.sorted() == (name == "two-peers" ? ["bag", "keys"] : ["tag"]))
    #expect(result.peers.values.allSatisfy { $0.updates > 100 })
    let errors = try #require(result.errors)
    #expect(try #require(errors.trajectory).ateYawAligned < 0.1)
    #expect(errors.peers.values.allSatisfy { $0.judged > 100 })
  }

  /// The regression lane: no figure worse than the stored one, nor suspiciously better. After a change that is meant to
  /// move them: `fuse eval datasets/* --save-expected datasets/expected.json`.
  @Test func figuresAreAsExpected() throws {
    let root = Repository.root
    let paths = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("datasets").path)
    let outcome = try FuseProcess.run(
      ["eval"] + paths.sorted().map { "datasets/\($0)" } + ["--expect", "datasets/expected.json", "--quiet"], in: root,
      limit: 300)
    #expect(outcome.status == 0, "\(outcome.stderr)")
  }
}
