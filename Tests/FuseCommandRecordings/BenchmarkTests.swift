import Estimator
import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing
import fuse

/// `tools/benchmark`: comparison and output, independent of this machine's speed.
@Suite struct BenchmarkTests {
  private static let thresholds = BenchmarkThresholds(
    tolerance: .init(mean: 1.2, p99: 1.5), smallest: .init(mean: 0.01, p99: 0.05),
    limits: ["walk": ["frame": .init(mean: 1, p99: 3)]])

  /// Figures of one recording with these stage times in nanoseconds, on a machine whose kernel takes `kernel` of them.
  private static func figures(
    _ stages: [String: [Int]], kernel: Int = 1000, recording: String = "walk", waited: Double = 0
  ) -> RecordingFigures {
    RecordingFigures(
      recording: recording, seconds: 10, frames: 2, ranges: 2, updates: 2, repeats: 1, cpuSeconds: 1,
      waitedShare: waited, peakMemoryBytes: 1, emptyStageMicroseconds: 0,
      kernel: .init(update: kernel / 2, loop: kernel - kernel / 2, frame: 4 * kernel),
      samples: stages)
  }

  private static func compared(
    _ old: [String: [Int]], _ new: [String: [Int]], kernel: Int = 1000
  ) -> BenchmarkComparison {
    BenchmarkComparison(old: [figures(old)], new: [figures(new, kernel: kernel)], thresholds: thresholds)
  }

  @Test func aSlowerMachineIsNoSlowerVersion() {
    let comparison = Self.compared(["range": [100, 300]], ["range": [500, 1500]], kernel: 5000)
    #expect(comparison.isWithin)
    #expect(comparison.rows.map(\.stage) == ["range"] && comparison.rows[0].old == comparison.rows[0].new)
  }

  @Test(arguments: [
    (1.19, [String]()), (1.21, ["mean over the old version's"]),
    (1.51, ["mean over the old version's", "p99 over the old version's"]),
  ])
  func whatTakesLongerThanBeforeIsAFault(factor: Double, faults: [String]) {
    let comparison = Self.compared(["range": [1000, 1000]], ["range": [Int(1000 * factor), Int(1000 * factor)]])
    #expect(comparison.rows[0].faults == faults)
    #expect(comparison.isWithin == faults.isEmpty)
  }

  /// Small steps, each within the tolerance, must not add up.
  @Test func whatGrewPastItsLimitIsAFault() {
    let comparison = Self.compared(["frame": [1190, 1190]], ["frame": [1230, 1230]])
    #expect(comparison.rows[0].faults == ["mean over its limit"])
    let tail = Self.compared(["frame": [0, 0, 4400]], ["frame": [0, 0, 4600]])
    #expect(tail.rows[0].faults.contains("p99 over its limit"))
    #expect(Self.compared(["frame": [1190, 1190]], ["frame": [1190, 1190]]).isWithin)
  }

  @Test func fasterIsWithinAndTheSmallestAreNotCompared() {
    #expect(Self.compared(["frame": [1000], "range": [90]], ["frame": [100], "range": [9]]).isWithin)
    #expect(Self.compared(["writing": [1]], ["writing": [9]]).isWithin)
    // A figure that is no longer too small is compared, mean and 99th percentile separately.
    #expect(Self.compared(["writing": [1]], ["writing": [11]]).rows[0].faults == ["mean over the old version's"])
    #expect(Self.compared(["writing": [1]], ["writing": [51]]).rows[0].faults.count == 2)
  }

  @Test func whatOnlyOneVersionHasIsReportedAndNotCompared() {
    let comparison = BenchmarkComparison(
      old: [Self.figures(["frame": [10], "range": [10]])],
      new: [Self.figures(["frame": [10], "tick": [9000]]), Self.figures(["frame": [9000]], recording: "run")],
      thresholds: Self.thresholds)
    #expect(comparison.rows.map(\.stage) == ["frame"] && comparison.isWithin)
    #expect(
      comparison.remarks == [
        "walk, range: only in the old version", "run: only in the new version", "walk, tick: only in the new version",
      ])
  }

  /// Times of a busy machine are marked as such, and still compared.
  @Test func aBusyMachineIsReported() {
    let idle = [Self.figures(["frame": [10]], waited: 0.05)], busy = [Self.figures(["frame": [10]], waited: 0.4)]
    func remarks(_ old: [RecordingFigures], _ new: [RecordingFigures]) -> [String] {
      BenchmarkComparison(old: old, new: new, thresholds: Self.thresholds).remarks
    }
    #expect(remarks(idle, idle).isEmpty)
    #expect(remarks(idle, busy).count == 1 && remarks(idle, busy)[0].contains("new version"))
    #expect(remarks(busy, idle).count == 1 && remarks(busy, idle)[0].contains("old version"))
  }

  @Test func keptLimitsHoldTheirVersionAndLeaveOthersAlone() throws {
    let figures = [Self.figures(["frame": [5000, 7000], "writing": [1]], recording: "run")]
    let kept = Self.thresholds.keeping(figures)
    #expect(kept.limits["walk"] == Self.thresholds.limits["walk"])
    #expect(kept.limits["run"] == ["frame": .init(mean: 6, p99: 7)])
    #expect(BenchmarkComparison(old: figures, new: figures, thresholds: kept).isWithin)
  }

  /// The shipped file is readable by this version and names existing stages.
  @Test func theThresholdsThatShipAreReadable() throws {
    let file = Repository.root.appendingPathComponent("tools/benchmark-thresholds.json")
    let shipped = try JSONDecoder().decode(BenchmarkThresholds.self, from: Data(contentsOf: file))
    #expect(shipped.tolerance.mean > 1 && shipped.tolerance.p99 > 1 && shipped.smallest.mean > 0)
    let known = Set(Stage.allCases.map(\.rawValue) + ["reading", "writing"])
    for (recording, stages) in shipped.limits { #expect(known.isSuperset(of: stages.keys), "\(recording)") }
    #expect(shipped.limits["demo"]?["frame"] != nil && shipped.limits["demo"]?["hypotheses"] != nil)
  }

  /// Every repeat of a measured run writes the bytes of `fuse run`, and every line is measured.
  @Test func theMeasuredRunWritesTheSameBytes() throws {
    let scratch = try Scratch()
    let demo = Repository.root.appendingPathComponent("datasets/demo").path
    let run = try FuseProcess.run(["run", demo, "-o", scratch.path("out"), "--quiet"])
    #expect(run.status == 0, "\(run.stderr)")
    let expected = try scratch.bytes("out/updates.jsonl")
    var measured = Data()
    let figures = try MeasuredRun.figures(of: demo, repeats: 2) { measured.append(contentsOf: $0) }
    #expect(measured == expected + expected)
    #expect(expected.count { $0 == 10 } == figures.updates && figures.updates > 100)
    #expect(figures.stages["writing"]?.count == figures.updates)
    #expect(figures.stages["frame"]?.count == figures.frames && figures.stages["range"]?.count == figures.ranges)
    for (name, stage) in figures.stages {
      let (time, ratio) = (stage.microseconds, stage.kernels)
      #expect(0 <= time.p50 && time.p50 <= time.p99 && time.p99 <= time.worst, "\(name)")
      for (a, b) in [(time.mean, ratio.mean), (time.p99, ratio.p99), (time.worst, ratio.worst)] {
        #expect(abs(a - b * figures.kernel.unit) <= 1e-9 * a, "\(name)")
      }
    }
  }

  @Test func aTinyRunHasItsKeys() throws {
    let scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("tiny"))
    let run = try FuseProcess.run(["benchmark", "measure", scratch.path("tiny"), "--repeats", "1"])
    #expect(run.status == 0, "\(run.stderr)")
    let document = try #require(JSONSerialization.jsonObject(with: Data(run.stdout.utf8)) as? [String: Any])
    #expect(
      document.keys.sorted() == [
        "cpuSeconds", "emptyStageMicroseconds", "frames", "kernel", "peakMemoryBytes", "perSecond", "ranges",
        "recording", "repeats", "seconds", "stages", "timesRealTime", "updates", "waitedShare",
      ])
    #expect((document["kernel"] as? [String: Any])?.keys.sorted() == ["frame", "loop", "unit", "update"])
    let stages = try #require(document["stages"] as? [String: [String: Any]])
    #expect(
      Set(stages.keys).isSuperset(of: [
        "reading", "frame", "range", "tick", "propagation", "visualUpdate", "hypotheses", "readout", "writing",
      ]))
    for stage in stages.values {
      #expect(stage.keys.sorted() == ["count", "kernels", "microseconds"])
      #expect((stage["kernels"] as? [String: Any])?.keys.sorted() == ["mean", "p50", "p99", "worst"])
    }
  }

  /// Exit codes: 0 within, 1 beyond, 2 for files that are none.
  @Test func theCommandAnswersByItsExitCode() throws {
    let scratch = try Scratch()
    for (name, value) in [("old", 1000), ("same", 1000), ("slow", 2000)] {
      try BenchmarkFile.json([Self.figures(["frame": [value]])]).write(to: scratch.url.appendingPathComponent(name))
    }
    try BenchmarkFile.json(Self.thresholds).write(to: scratch.url.appendingPathComponent("thresholds"))
    func compare(_ new: String) throws -> FuseProcess.Outcome {
      try FuseProcess.run(
        ["benchmark", "compare", "old", new, "--thresholds", "thresholds"], in: scratch.url)
    }
    #expect(try compare("same").status == 0)
    let slow = try compare("slow")
    #expect(slow.status == 1 && slow.stdout.contains("2.00") && slow.stdout.contains("mean over the old version's"))
    let wrong = try compare("thresholds")
    #expect(wrong.status == 2 && wrong.errorLines.count == 1 && wrong.stderr.hasPrefix("error: thresholds: "))
    #expect(try compare("nowhere").status == 2)
  }

  /// Missing values are null in the file, and read back as such.
  @Test func whatIsNotThereIsNull() throws {
    var figures = Self.figures(["range": [1000]])
    figures.perSecond["frames"] = .some(nil)
    let json = try BenchmarkFile.json([figures])
    #expect(String(decoding: json, as: UTF8.self).contains("\"frames\" : null"))
    #expect(try JSONDecoder().decode([RecordingFigures].self, from: json) == [figures])
  }

  @Test func itIsNoPartOfTheHelp() throws {
    let help = try FuseProcess.run(["--help"])
    #expect(!help.stdout.contains("benchmark"))
  }
}
