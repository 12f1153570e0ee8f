import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// `fuse eval --list`: rows by key, whatever happens on the way.
@Suite struct EvalListTests {
  private let scratch: Scratch
  private static let arc = Repository.root.appendingPathComponent("datasets/arc").path

  /// Two recordings, and a folder that is none.
  init() throws {
    scratch = try Scratch()
    for name in ["a", "b"] {
      try FileManager.default.copyItem(atPath: Self.arc, toPath: scratch.path(name))
    }
    try FileManager.default.createDirectory(atPath: scratch.path("c"), withIntermediateDirectories: true)
    try write("list", "# two, and no recording\na\n\nc\nb/\n")
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: scratch.url.appendingPathComponent(name))
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: scratch.url.appendingPathComponent(name)), as: UTF8.self)
  }

  private func eval(_ out: String, _ more: String...) throws -> FuseProcess.Outcome {
    try FuseProcess.run(["eval", "--list", "list", "--out", out, "--no-ideal"] + more, in: scratch.url)
  }

  private func row(_ line: Substring) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func aRowARecordingAndAgainOnlyWhatIsMissing() throws {
    let first = try eval("rows")
    #expect(first.status == 0, "\(first.stderr)")
    #expect(first.stderr.contains("rows: 3 rows, 0 taken over, 2 evaluated, 1 with an error"))
    let whole = try text("rows")
    let rows = try whole.split(separator: "\n").map(row)
    #expect(rows.map { $0["name"] as? String } == ["a", "c", "b"])
    #expect((rows[1]["error"] as? String)?.hasPrefix("c: ") == true && rows[1]["trials"] as? Int == 0)
    #expect(rows[0]["error"] is NSNull && rows[0]["coverage90"] is Double)
    // The same bytes under another name have the same key.
    #expect(rows[0]["key"] as? String == rows[2]["key"] as? String)
    #expect(try eval("rows", "--resume").stderr.contains("2 taken over, 0 evaluated"))
    #expect(try text("rows") == whole)

    // A torn line, as after a power cut, and a lost one.
    let lines = whole.split(separator: "\n")
    try write("rows", lines[0] + "\n" + lines[2].prefix(500))
    let again = try eval("rows", "--resume", "--jobs", "2")
    #expect(
      again.stderr.contains("warning: rows:2: found no row") && again.stderr.contains("1 taken over, 1 evaluated"))
    #expect(try text("rows") == whole)
  }

  @Test func whatARowDependsOnIsInItsKey() throws {
    #expect(try eval("rows").status == 0)
    #expect(try eval("rows", "--resume", "--to", "8").stderr.contains("0 taken over, 2 evaluated"))
    #expect(try eval("rows", "--resume", "--to", "8").stderr.contains("2 taken over"))
    try write("settings.yaml", "verticalDecision: 0.96\n")
    let other = try eval("rows", "--resume", "--to", "8", "--config", "settings.yaml")
    #expect(other.stderr.contains("0 taken over, 2 evaluated"), "\(other.stderr)")
    #expect(try eval("rows", "--resume", "--to", "8", "--baseline").stderr.contains("0 taken over, 2 evaluated"))
    let path = "a/mav0/uwb0/data.csv"
    try write(path, text(path).split(separator: "\n").dropLast().joined(separator: "\n") + "\n")
    #expect(try eval("rows", "--resume", "--to", "8", "--baseline").stderr.contains("1 taken over, 1 evaluated"))
  }

  /// Killed at any time, the file has whole rows, and a later call makes the same bytes.
  @Test func killedAtAnyTimeTheRowsAreWhole() throws {
    #expect(try eval("whole", "--quiet").status == 0)
    let whole = try text("whole")
    for delay in stride(from: 0.02, to: 0.8, by: 0.11) {
      let line = "timeout -s KILL \(delay) $FUSE eval --list list --out rows --no-ideal --quiet --resume || true"
      #expect(try FuseProcess.shell(line, in: scratch.url).status == 0)
      guard FileManager.default.fileExists(atPath: scratch.path("rows")) else { continue }
      let rows = try text("rows")
      #expect(rows.isEmpty || rows.hasSuffix("\n"))
      let known = Set(whole.split(separator: "\n"))
      #expect(rows.split(separator: "\n").allSatisfy(known.contains))
    }
    #expect(try eval("rows", "--resume").status == 0)
    #expect(try text("rows") == whole)
  }

  @Test func wrongUsesAreSaid() throws {
    try write("twice", "a\nb\na/\n")
    for (arguments, part) in [
      (["--list", "list"], "--list and --out go together"),
      (["--list", "list", "--out", "x", "a"], "no others"),
      (["--resume", "a"], "--resume needs"),
      (["--list", "list", "--out", "list"], "is an input of this command"),
      (["--list", "list", "--out", "a/mav0/imu0/data.csv"], "is an input of this command"),
      (["--list", "twice", "--out", "x"], "twice:3: found a again, as in line 1"),
      (["--list", "nothing", "--out", "x"], "nothing"),
    ] {
      let outcome = try FuseProcess.run(["eval"] + arguments, in: scratch.url)
      #expect(outcome.status != 0 && outcome.stderr.contains(part), "\(arguments): \(outcome.stderr)")
    }
    #expect(try text("list").hasPrefix("# two"))
  }

  /// The judge gives the finder's own answers, exported, the finder's figures; least squares stands beside.
  @Test func otherSolversHaveTheSameJudge() throws {
    #expect(try FuseProcess.run(["run", "a", "-o", "out", "--quiet"], in: scratch.url).status == 0)
    #expect(try FuseProcess.run(["export", "csv", "out", "-o", "own.csv"], in: scratch.url).status == 0)
    let outcome = try FuseProcess.run(
      ["eval", "a", "--no-ideal", "--format", "jsonl", "--baseline", "--solution", "own.csv"], in: scratch.url)
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let rows = try outcome.stdout.split(separator: "\n").map(row)
    #expect(rows.map { $0["name"] as? String } == ["a", "a, least squares", "a, own.csv"])
    for key in ["angleErrorDegrees", "coverage90", "distanceCoverage90", "angleCRPSDegreesAt6s", "angleShareAt10s"] {
      let (own, theirs) = (try #require(rows[0][key] as? Double), try #require(rows[2][key] as? Double))
      #expect(abs(own - theirs) < 1e-9, "\(key)")
    }
    #expect(try #require(rows[1]["angleErrorDegreesAt10s"] as? Double) < 20)
    #expect(rows[1]["angleShareAt6s"] as? Double == 1)
    // Places alone, the true one in the world of a run that starts in it: the angle is seen from the path.
    let peer = try text("a/mav0/peers_groundtruth0/data.csv").split(separator: "\n")[1].split(separator: ",")
    let place = peer[2...4].joined(separator: ",")
    let times = try text("own.csv").split(separator: "\n").dropFirst().map { $0.split(separator: ",")[0] }
    try write(
      "places.csv",
      "timestamp [ns],peer,x [m],y [m],z [m],xStd [m],yStd [m],zStd [m]\n"
        + times.map { "\($0),\(peer[1]),\(place),0.1,0.1,0.1\n" }.joined())
    let placed = try FuseProcess.run(
      ["eval", "a", "--no-ideal", "--format", "jsonl", "--initialize", "groundtruth", "--solution", "places.csv"],
      in: scratch.url)
    let judged = try row(try #require(placed.stdout.split(separator: "\n").last))
    #expect(try #require(judged["angleErrorDegrees"] as? Double) < 1)
    #expect(try #require(judged["positionError"] as? Double) < 0.1)
    #expect(try #require(judged["coverage90"] as? Double) > 0.9 && judged["distanceCoverage90"] as? Double == 1)
    let refused = try FuseProcess.run(["eval", "a", "b", "--solution", "own.csv"], in: scratch.url)
    #expect(refused.status != 0 && refused.stderr.contains("--solution belongs to one recording"))
  }
}
