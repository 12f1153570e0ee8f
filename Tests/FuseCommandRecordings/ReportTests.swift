import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// `fuse report`: the file, its exit codes, and missing inputs.
@Suite struct ReportTests {
  private static let demo = Repository.root.appendingPathComponent("datasets/demo").path

  /// From a recording or from its run: the same page, complete, small, and self-contained.
  @Test func aRecordingAndItsRunGiveTheSamePage() throws {
    let scratch = try Scratch()
    let run = try FuseProcess.run(["run", Self.demo, "--quiet"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    let first = try FuseProcess.run(["report", Self.demo], in: scratch.url)
    #expect(first.status == 0, "\(first.stderr)")
    #expect(first.stdout.hasPrefix("written to ./demo-report.html: ") && first.stdout.hasSuffix(" kB\n"))
    let second = try FuseProcess.run(["report", "demo-fuse", "-o", "again.html"], in: scratch.url)
    #expect(second.status == 0, "\(second.stderr)")
    let page = try scratch.bytes("demo-report.html")
    #expect(try scratch.bytes("again.html") == page)
    #expect(page.count < 1_000_000)
    let text = String(decoding: page, as: UTF8.self)
    for mark in ["http:", "https:", " src=", "<link", scratch.url.path, Self.demo] {
      #expect(!text.contains(mark), "\(mark)")
    }
    let result = try JSONDecoder().decode(RunResult.self, from: scratch.bytes("demo-fuse/result.json"))
    let after = String(format: "%.1f", try #require(result.peers["tag"]?.convergedAt))
    #expect(text.contains("on our level; converged after \(after) s; the angle was "))
    // Nothing else is left behind.
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).sorted()
    #expect(names == ["again.html", "demo-fuse", "demo-report.html"])
  }

  /// A run whose recording is gone, and one without updates.
  @Test func aRunAloneIsEnough() throws {
    let scratch = try Scratch()
    let run = try FuseProcess.run(["run", Self.demo, "--quiet", "--to", "6", "-o", "out"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    try FileManager.default.removeItem(atPath: scratch.path("out/timing.json"))
    let alone = try FuseProcess.run(["report", "out", "-o", "alone.html"], in: scratch.url)
    #expect(alone.status == 0, "\(alone.stderr)")
    #expect(String(decoding: try scratch.bytes("alone.html"), as: UTF8.self).contains("The recording is not available"))
    let named = try FuseProcess.run(["report", "out", "--truth", Self.demo, "-o", "named.html"], in: scratch.url)
    #expect(named.status == 0, "\(named.stderr)")
    #expect(try scratch.bytes("named.html") != scratch.bytes("alone.html"))

    for name in ["trajectory.tum", "trajectory_covariance.csv", "result.json"] {
      try FileManager.default.removeItem(atPath: scratch.path("out/\(name)"))
    }
    try Data().write(to: scratch.url.appendingPathComponent("out/updates.jsonl"))
    let empty = try FuseProcess.run(["report", "out", "--unverified", "-o", "empty.html"], in: scratch.url)
    #expect(empty.status == 0, "\(empty.stderr)")
    #expect(String(decoding: try scratch.bytes("empty.html"), as: UTF8.self).contains("No ranges were received."))
  }

  /// The camera's tracks over its pictures, which have at most 400 kB; without images tracks alone. Runs of the same
  /// folder name are told apart.
  @Test func theCamerasPicturesAreBounded() throws {
    let scratch = try Scratch()
    for arguments in [
      ["simulate", "still", "-o", "walk", "--images", "--seed", "3"],
      ["run", "walk", "--quiet", "--to", "2", "-o", "a/out"],
      ["run", Self.demo, "--quiet", "--to", "2", "-o", "b/out"],
      ["report", "a/out", "b/out", "-o", "page.html"],
    ] {
      let outcome = try FuseProcess.run(arguments, in: scratch.url)
      try #require(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    }
    let text = String(decoding: try scratch.bytes("page.html"), as: UTF8.self)
    let begin = try #require(text.range(of: "id=\"data\">")).upperBound
    let end = try #require(text.range(of: "</script>", range: begin..<text.endIndex)).lowerBound
    let model = try #require(JSONSerialization.jsonObject(with: Data(text[begin..<end].utf8)) as? [String: Any])
    var pictures: [String: [String?]] = [:]
    for run in try #require(model["runs"] as? [[String: Any]]) {
      let moments = try #require((run["camera"] as? [String: Any])?["moments"] as? [[String: Any]])
      #expect(moments.contains { ($0["tracks"] as? [[Int]])?.count ?? 0 > 10 })
      pictures[try #require(run["name"] as? String)] = moments.map { $0["picture"] as? String }
    }
    #expect(pictures.keys.sorted() == ["a/out", "b/out"])
    let drawn = try #require(pictures["a/out"])
    #expect(drawn.count > 1 && drawn.allSatisfy { $0?.hasPrefix("data:image/jpeg;base64,/9j/") == true })
    #expect(drawn.reduce(0) { $0 + ($1?.count ?? 0) } <= 400_000)
    #expect(pictures["b/out"]?.allSatisfy { $0 == nil } == true)
  }

  @Test func troubleLeavesAnOlderFile() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("out"), withIntermediateDirectories: true)
    try Data("{\"timestamp\":1,\"peer\":\"a\"}\nnonsense\n".utf8).write(
      to: scratch.url.appendingPathComponent("out/updates.jsonl"))
    try Data("older".utf8).write(to: scratch.url.appendingPathComponent("page.html"))
    for arguments in [
      ["out", "-o", "page.html"], ["nowhere", "-o", "page.html"], [Self.demo, "--truth", "nowhere", "-o", "page.html"],
      [Self.demo, "-o", "no/such/folder/page.html"],
    ] {
      let report = try FuseProcess.run(["report"] + arguments, in: scratch.url)
      #expect(report.status == 2, "\(arguments)")
      #expect(report.errorLines.count == 1 && report.stderr.hasPrefix("error: "), "\(report.stderr)")
    }
    #expect(try scratch.bytes("page.html") == Data("older".utf8))
    #expect(
      try FuseProcess.run(["report", "out", "--unverified"], in: scratch.url).stderr.contains("out/updates.jsonl:2: "))
  }
}
