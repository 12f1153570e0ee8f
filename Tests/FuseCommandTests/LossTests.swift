import Foundation
import FuseCommandTestSupport
import PrecisionFinding
import Testing
import fuse

/// Input that could not be used is reported at the end of a run.
@Suite struct LossTests {
  @Test func withoutLossesThereIsNoLine() {
    #expect(LossWords(FinderSummary(), ranges: 9, window: 0.05, frames: 0, nonFinite: 0).lines.isEmpty)
  }

  /// Every loss that `result.json` counts has a line, and the advised window suffices.
  @Test func everyLossHasItsLine() {
    var summary = FinderSummary()
    (summary.lateEvents, summary.lateRanges, summary.latestRange, summary.unusableEvents) = (5, 4, 0.301, 2)
    let lines = LossWords(summary, ranges: 9, window: 0.05, frames: 7, nonFinite: 1).lines
    #expect(lines[0].contains("4 of 9 ranges") && lines[0].contains("window of 50 ms") && lines[0].contains("301 ms"))
    #expect(lines[1].contains("'reorderWindow: 0.35'"))
    for (line, words) in zip(lines.dropFirst(2), ["1 other event ", "2 events ", "7 frames ", "1 result "]) {
      #expect(line.hasPrefix(words), "\(line)")
    }
    #expect(lines.count == 6)
  }

  /// All ranges 300 ms late: the run reports how many and advises a setting, which helps.
  @Test func lateRangesAreReported() throws {
    let scratch = try Scratch()
    var recording = TinyRecording()
    let rows = (0..<1200).map { k in
      let stamp = TinyRecording.start + k * 10_000_000
      return "\(stamp),\(stamp + 300_000_000),tag,3.5\n"
    }
    recording.set(TinyRecording.uwb, "#timestamp [ns],arrival [ns],peer_id [],range [m]\n" + rows.joined())
    try recording.write(to: scratch.url.appendingPathComponent("in"))
    let run = try FuseProcess.run(["run", "in", "-o", "out"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stdout.contains("no ranges arrived in time"))
    #expect(run.stdout.contains("of 1200 ranges came later than the reorder window of 50 ms"), "\(run.stdout)")
    let advice = try #require(run.stdout.firstMatch(of: /'(reorderWindow: [0-9.]+)'/)?.1)
    try Data("\(advice)\n".utf8).write(to: scratch.url.appendingPathComponent("wait.yaml"))
    let again = try FuseProcess.run(["run", "in", "-o", "out", "--config", "wait.yaml"], in: scratch.url)
    #expect(again.stdout.contains("tag: 3.") && !again.stdout.contains("reorder window"), "\(again.stdout)")
  }
}
