import Foundation
import Simulation
import TestSupport
import Testing

/// The whole run, on a simulated recording and on the one that ships.
@Suite struct RunTests {
  /// A recording made by the command itself, once for all tests.
  private static let recording = Result {
    let scratch = try Scratch()
    let made = try FuseProcess.run(["simulate", "search", "-o", scratch.path("search"), "--seed", "5"])
    guard made.status == 0 else { throw CocoaError(.fileReadUnknown) }
    return scratch
  }

  private static let stable = ["updates.jsonl", "trajectory.tum", "result.json"]

  private func run(_ scratch: Scratch, _ name: String, _ arguments: [String] = []) throws {
    let input = try Self.recording.get().path("search")
    let run = try FuseProcess.run(["run", input, "-o", scratch.path(name)] + arguments)
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stderr.isEmpty, "\(run.stderr)")
  }

  @Test func twoRunsGiveTheSameBytes() throws {
    let scratch = try Scratch()
    try run(scratch, "a")
    try run(scratch, "b")
    for file in Self.stable { #expect(try scratch.bytes("a/\(file)") == scratch.bytes("b/\(file)"), "\(file)") }
  }

  @Test(arguments: ["3.21", "7", "12"]) func aShorterRunIsAPrefix(_ end: String) throws {
    let scratch = try Scratch()
    try run(scratch, "whole")
    try run(scratch, "part", ["--to", end])
    for file in ["updates.jsonl", "trajectory.tum"] {
      let (whole, part) = (try scratch.bytes("whole/\(file)"), try scratch.bytes("part/\(file)"))
      #expect(whole.starts(with: part), "\(file)")
      // Half a second is more than any window: what lies further back must have been said.
      if !whole.isEmpty { #expect(Double(part.count) > 0.5 * Double(whole.count) * Double(end)! / 40) }
    }
  }

  @Test func groundTruthChangesNoUpdate() throws {
    let scratch = try Scratch()
    try run(scratch, "with")
    let copy = scratch.url.appendingPathComponent("blind")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: Self.recording.get().path("search")), to: copy)
    for folder in ["state_groundtruth_estimate0", "peers_groundtruth0"] {
      try FileManager.default.removeItem(at: copy.appendingPathComponent("mav0/\(folder)"))
    }
    let blind = try FuseProcess.run(["run", copy.path, "-o", scratch.path("without")])
    #expect(blind.status == 0)
    for file in ["updates.jsonl", "trajectory.tum"] {
      #expect(try scratch.bytes("with/\(file)") == scratch.bytes("without/\(file)"), "\(file)")
    }
    let result = try #require(
      JSONSerialization.jsonObject(with: scratch.bytes("without/result.json")) as? [String: Any])
    #expect(result["errors"] is NSNull)
  }

  @Test func theStreamIsTheFile() throws {
    let scratch = try Scratch()
    let input = try Self.recording.get().path("search")
    let run = try FuseProcess.run(["run", input, "-o", scratch.path("out"), "--format", "jsonl"])
    #expect(run.status == 0)
    #expect(Data(run.stdout.utf8) == (try scratch.bytes("out/updates.jsonl")))
  }

  @Test func everyLineIsValid() throws {
    let scratch = try Scratch()
    try run(scratch, "out")
    let keys: Set = [
      "timestamp", "peer", "distance", "distanceStd", "direction", "horizontalAngle", "horizontalAngleStd",
      "horizontalAngleInterval", "verticalDirectionEstimate", "worldTransform", "positionCovariance", "quality",
      "convergence", "guidance", "details",
    ]
    var last: Int64 = .min
    for line in try scratch.bytes("out/updates.jsonl").split(separator: 10) {
      let object = try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      #expect(Set(object.keys) == keys)
      let time = try #require((object["timestamp"] as? NSNumber)?.int64Value)
      #expect(time >= last)
      last = time
      #expect((object["horizontalAngle"] is NSNull) == (object["horizontalAngleInterval"] is NSNull))
      #expect((object["worldTransform"] is NSNull) == (object["positionCovariance"] is NSNull))
      let convergence = try #require(object["convergence"] as? [String: Any])
      if convergence["status"] as? String == "converged" {
        #expect(object["guidance"] is NSNull)
        #expect(!(object["horizontalAngle"] is NSNull))
        #expect(!(object["worldTransform"] is NSNull))
      }
    }
  }

  @Test func quietSaysNothing() throws {
    let scratch = try Scratch()
    let input = try Self.recording.get().path("search")
    let run = try FuseProcess.run(["run", input, "-o", scratch.path("out"), "--quiet"])
    #expect(run.status == 0)
    #expect(run.stdout.isEmpty)
    #expect(run.stderr.isEmpty)
  }

  @Test func theDefaultOutputBearsTheRecordingsName() throws {
    let scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("walk"))
    #expect(try FuseProcess.run(["run", "walk/"], in: scratch.url).status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path("walk-fuse")).sorted()
        == ["result.json", "timing.json", "trajectory.tum", "updates.jsonl"])
  }

  @Test func aFailedRunLeavesTheOldResult() throws {
    let scratch = try Scratch()
    var recording = TinyRecording()
    try recording.write(to: scratch.url.appendingPathComponent("in"))
    #expect(try FuseProcess.run(["run", "in", "-o", "out"], in: scratch.url).status == 0)
    let before = try scratch.bytes("out/result.json")
    for line in stride(from: 1500, to: 2400, by: 20) { recording.cell(TinyRecording.imu, line: line, 4, "?") }
    try recording.write(to: scratch.url.appendingPathComponent("in"))
    #expect(try FuseProcess.run(["run", "in", "-o", "out"], in: scratch.url).status == 2)
    #expect(try scratch.bytes("out/result.json") == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).count == 4)
  }

  @Test func anUnknownPeerIsAnError() throws {
    let scratch = try Scratch()
    let run = try FuseProcess.run(["run", Self.recording.get().path("search"), "-o", scratch.path("out"), "--peer", "nobody"])
    #expect(run.status == 2)
    #expect(run.stderr.hasPrefix("error: ") && run.stderr.contains("nobody"))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
  }

  @Test func aConfigurationIsHeardAndChecked() throws {
    let scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("in"))
    try Data("updateInterval: 0.2\n".utf8).write(to: scratch.url.appendingPathComponent("good.yaml"))
    try Data("# a comment\nupdateIntervall: 0.2\n".utf8).write(to: scratch.url.appendingPathComponent("bad.yaml"))
    #expect(try FuseProcess.run(["run", "in", "-o", "out", "--config", "good.yaml"], in: scratch.url).status == 0)
    #expect(String(decoding: try scratch.bytes("out/result.json"), as: UTF8.self).contains("\"updateInterval\": 0.2"))
    let bad = try FuseProcess.run(["run", "in", "-o", "out", "--config", "bad.yaml"], in: scratch.url)
    #expect(bad.status == 2)
    #expect(bad.stderr.hasPrefix("error: bad.yaml:2: "))
  }
}
