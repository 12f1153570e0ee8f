import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// `fuse explain` on a run of the recording that ships.
@Suite struct ExplainTests {
  private static let run = Result {
    let scratch = try Scratch()
    let made = try FuseProcess.run([
      "run", Repository.root.appendingPathComponent("datasets/demo").path, "-o", scratch.path("run"), "--quiet", "--to",
      "9",
    ])
    guard made.status == 0 else { throw Unmade(words: made.stderr) }
    return scratch
  }

  private struct Unmade: Error { var words: String }

  private func explain(_ arguments: [String]) throws -> FuseProcess.Outcome {
    try FuseProcess.run(["explain", Self.run.get().path("run")] + arguments)
  }

  /// The gates fail exactly where the run published nothing, and the explained update is the last one until then.
  @Test(arguments: [3.0, 6.0, 8.5]) func gatesAreThoseOfTheRun(second: Double) throws {
    let outcome = try explain(["--at", "\(second)", "--format", "json"])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let json = try #require(JSONSerialization.jsonObject(with: Data(outcome.stdout.utf8)) as? [String: Any])
    let lines = try String(decoding: Self.run.get().bytes("run/updates.jsonl"), as: UTF8.self).split(separator: "\n")
    let updates = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    let time = try #require(json["timestamp"] as? Int)
    let update = try #require(updates.last { $0["timestamp"] as? Int == time && $0["peer"] as? String == "tag" })
    let start = 1_700_000_000_000_000_000
    #expect(
      !updates.contains {
        ($0["timestamp"] as? Int ?? 0) > time && ($0["timestamp"] as? Int ?? 0) <= start + Int(second * 1e9)
      })
    let gates = try #require(json["gates"] as? [[String: Any]])
    func fails(_ output: String) -> Bool {
      gates.contains {
        ($0["withholds"] as? String)?.contains(output) == true && $0["passed"] as? Bool == false
      }
    }
    #expect(fails("angle") == (update["horizontalAngle"] is NSNull))
    #expect(fails("direction") == (update["direction"] is NSNull))
    #expect(fails("position") == (update["worldTransform"] is NSNull))
    let modes = try #require(json["places"] as? [[String: Any]])
    let probabilities = modes.compactMap { $0["share"] as? Double }
    #expect(!probabilities.isEmpty && probabilities == probabilities.sorted(by: >))
    #expect(probabilities.reduce(0, +) <= 1 + 1e-9)
  }

  @Test func twoExplanationsAreTheSameBytes() throws {
    #expect(try explain(["--at", "5"]).stdout == explain(["--at", "5"]).stdout)
    #expect(try explain(["--at", "5"]).stdout.contains("What the run asked for: "))
  }

  @Test func whatCannotBeExplainedIsReported() throws {
    #expect(try explain(["--at", "0"]).stderr.contains("no update of tag until then"))
    #expect(try explain(["--at", "5", "--peer", "nobody"]).stderr.contains("expected one of: tag"))
    #expect(try explain(["--at", "-1"]).status == 64)
    let scratch = try Self.run.get()
    let copy = scratch.path("other")
    try FileManager.default.copyItem(atPath: scratch.path("run"), toPath: copy)
    let path = copy + "/updates.jsonl"
    let text = try String(contentsOfFile: path, encoding: .utf8).replacingOccurrences(
      of: "\"distanceStd\":0.", with: "\"distanceStd\":1.")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let refused = try FuseProcess.run(["explain", copy, "--at", "5"])
    #expect(refused.status == 2 && refused.stderr.contains("the file of another run"))
    let outcome = try FuseProcess.run(["explain", copy, "--at", "5", "--unverified"])
    #expect(outcome.status == 2 && outcome.stderr.contains("made by another version"))
  }

  /// In the dark everything but the distance is withheld by a gate that names the cause, and no motion is recommended.
  @Test func theDarkIsExplained() throws {
    let scratch = try Scratch()
    let made = try FuseProcess.run([
      "run", Repository.root.appendingPathComponent("datasets/dark").path, "-o", scratch.path("run"), "--quiet", "--to",
      "12",
    ])
    #expect(made.status == 0, "\(made.stderr)")
    let outcome = try FuseProcess.run(["explain", scratch.path("run"), "--at", "10.5"])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let lines = outcome.stdout.split(separator: "\n")
    #expect(lines.contains { $0.contains("NO  ") && $0.contains("mean luma") && $0.contains("at least 6.00 %") })
    #expect(lines.contains { $0.contains("NO  ") && $0.contains("features in the image") })
    #expect(outcome.stdout.contains("hypotheses alive") || outcome.stdout.contains("a state of the filter"))
    #expect(outcome.stdout.contains("What the run asked for: More light is needed"))
    #expect(!outcome.stdout.contains("sweeping") && !outcome.stdout.contains("Better"))
  }

  /// With several peers and no --peer it reports which one is pointed at.
  @Test func thePeerPointedAtIsReported() throws {
    let scratch = try Scratch()
    let made = try FuseProcess.run([
      "run", Repository.root.appendingPathComponent("datasets/two-peers").path, "-o", scratch.path("run"), "--quiet",
    ])
    #expect(made.status == 0, "\(made.stderr)")
    let outcome = try FuseProcess.run(["explain", scratch.path("run"), "--at", "12", "--format", "json"])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let json = try #require(JSONSerialization.jsonObject(with: Data(outcome.stdout.utf8)) as? [String: Any])
    let peers = try #require(json["peers"] as? [[String: Any]])
    #expect(peers.compactMap { $0["peer"] as? String }.sorted() == ["bag", "keys"])
    let angles = peers.map { $0["offAxis"] as? Double ?? .infinity }
    #expect(angles == angles.sorted())
    #expect(
      try FuseProcess.run(["explain", scratch.path("run"), "--at", "12"]).stdout.contains(
        "--peer with one of: bag keys"))
  }
}
