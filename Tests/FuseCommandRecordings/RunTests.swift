import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// The whole run, on a simulated recording and on the one that ships.
@Suite struct RunTests {
  /// Recordings made by the command itself, once for all tests: `search` has an IMU and a camera, `given` external
  /// odometry, late ranges, and two peers.
  private static let recordings = Result {
    let scratch = try Scratch()
    let scenario = """
      name: given
      description: another tracker's poses, late ranges, two peers
      camera: none
      odometry: {rate_hz: 30}
      uwb: {rate_hz: 10, latency_s: 0.005, latency_jitter_s: 0.01}
      peers:
        - {id: tag, ahead_m: 5, right_m: 2}
        - {id: key, ahead_m: -3, right_m: 3, up_m: 2}
      motion:
        - hold: {duration_s: 1}
        - arc: {duration_s: 6, horizontal_deg: 50, horizontal_period_s: 4}
        - arc: {duration_s: 4, vertical_deg: 45, vertical_period_s: 3}
        - walk: {distance_m: 4}
      """
    try Data(scenario.utf8).write(to: scratch.url.appendingPathComponent("given.yaml"))
    for (source, name) in [("search", "search"), (scratch.path("given.yaml"), "given")] {
      let made = try FuseProcess.run(["simulate", source, "-o", scratch.path(name), "--seed", "5"])
      guard made.status == 0 else { throw Unmade(words: made.stderr) }
    }
    return scratch
  }

  private struct Unmade: Error { var words: String }

  private static let stable = ["updates.jsonl", "trajectory.tum", "result.json"]

  private func run(_ recording: String, _ scratch: Scratch, _ name: String, _ arguments: [String] = []) throws {
    let input = try Self.recordings.get().path(recording)
    let run = try FuseProcess.run(["run", input, "-o", scratch.path(name)] + arguments)
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stderr.isEmpty, "\(run.stderr)")
  }

  @Test(arguments: ["search", "given"]) func twoRunsGiveTheSameBytes(_ recording: String) throws {
    let scratch = try Scratch()
    try run(recording, scratch, "a")
    try run(recording, scratch, "b")
    for file in Self.stable { #expect(try scratch.bytes("a/\(file)") == scratch.bytes("b/\(file)"), "\(file)") }
    // One update per range at least: two empty files would be equal too.
    #expect(try scratch.bytes("a/updates.jsonl").count { $0 == 10 } >= 100)
  }

  /// `--calibrate` finds a lens 1 % and a clock 20 ms off, in `result.json` and on stdout; without it there is `null`.
  @Test func aWrongCalibrationIsFoundAndReported() throws {
    struct Document: Decodable {
      struct Calibration: Decodable {
        var intrinsics, intrinsicsStd, T_BS: [Double]
        var time_offset_cam_to_imu_s, timeOffsetStd: Double
        var learnt: [String]
      }
      var calibration: Calibration?
    }
    let scratch = try Scratch()
    let made = try FuseProcess.run(["simulate", "miscalibrated", "-o", scratch.path("wrong"), "--seed", "3"])
    #expect(made.status == 0, "\(made.stderr)")
    let arguments = ["run", scratch.path("wrong"), "--initialize", "groundtruth", "-o", scratch.path("out")]
    func document() throws -> Document {
      try JSONDecoder().decode(Document.self, from: scratch.bytes("out/result.json"))
    }
    let plain = try FuseProcess.run(arguments)
    #expect(plain.status == 0 && !plain.stdout.contains("calibration:"))
    #expect(try document().calibration == nil)
    let calibrated = try FuseProcess.run(arguments + ["--calibrate"])
    #expect(calibrated.status == 0 && calibrated.stdout.contains("calibration: focal lengths 4"))
    let found = try #require(try document().calibration)
    #expect(found.learnt == ["rotation", "translation", "timeOffset", "lens"])
    // The truth of every simulated phone; the file is off by 1 %, 5 px and 20 ms.
    for (k, truth) in [420, 420.84, 321.3, 238.6].enumerated() {
      #expect(abs(found.intrinsics[k] - truth) < 4 * found.intrinsicsStd[k] && found.intrinsicsStd[k] < 1)
    }
    #expect(abs(found.time_offset_cam_to_imu_s) < 0.001 && found.timeOffsetStd < 0.001 && found.T_BS.count == 16)
  }

  @Test(arguments: ["search", "given"], ["3.21", "7", "12"])
  func aShorterRunIsAPrefix(_ recording: String, _ end: String) throws {
    let scratch = try Scratch()
    try run(recording, scratch, "whole")
    try run(recording, scratch, "part", ["--to", end])
    for file in ["updates.jsonl", "trajectory.tum"] {
      #expect(try scratch.bytes("whole/\(file)").starts(with: scratch.bytes("part/\(file)")), "\(file)")
    }
    // Output up to 0.5 s before the end, more than any window, must be there: an empty file is no prefix.
    let last = try #require(scratch.bytes("part/updates.jsonl").split(separator: 10).last)
    let object = try #require(JSONSerialization.jsonObject(with: Data(last)) as? [String: Any])
    let time = try #require((object["timestamp"] as? NSNumber)?.int64Value)
    let limit = 1_700_000_000_000_000_000 + Int64(Double(end)! * 1e9)
    #expect(time > limit - 500_000_000 && time <= limit)
  }

  @Test(arguments: ["search", "given"]) func groundTruthChangesNoUpdate(_ recording: String) throws {
    let scratch = try Scratch()
    try run(recording, scratch, "with")
    let copy = scratch.url.appendingPathComponent("blind")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: Self.recordings.get().path(recording)), to: copy)
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
    let seeing = try #require(try self.result(scratch, "with"))
    #expect(!(seeing["errors"] is NSNull))
  }

  private func result(_ scratch: Scratch, _ name: String) throws -> [String: Any]? {
    try JSONSerialization.jsonObject(with: scratch.bytes("\(name)/result.json")) as? [String: Any]
  }

  /// With external odometry both peers are found, within the error limits.
  @Test func bothPeersAreFound() throws {
    let scratch = try Scratch()
    try run("given", scratch, "out")
    let errors = try #require(try result(scratch, "out")?["errors"] as? [String: Any])
    let trajectory = try #require(errors["trajectory"] as? [String: Any])
    #expect(try #require(trajectory["ateYawAligned"] as? Double) < 0.1)
    let peers = try #require(errors["peers"] as? [String: [String: Any]])
    #expect(peers.keys.sorted() == ["key", "tag"])
    for (peer, figures) in peers {
      let angle = try #require(figures["angleErrorDegrees"] as? [String: Any], "\(peer)")
      #expect(try #require(angle["final"] as? Double) < 10, "\(peer)")
    }
  }

  @Test func fromAndPeerSelectTheInput() throws {
    let scratch = try Scratch()
    try run("given", scratch, "part", ["--from", "4", "--peer", "key"])
    var count = 0
    for line in try scratch.bytes("part/updates.jsonl").split(separator: 10) {
      let object = try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      let time = try #require((object["timestamp"] as? NSNumber)?.int64Value)
      #expect(time >= 1_700_000_004_000_000_000)
      if let peer = object["peer"] as? String {
        #expect(peer == "key")
        count += 1
      }
    }
    #expect(count > 50)
  }

  @Test func theStreamIsTheFile() throws {
    let scratch = try Scratch()
    let input = try Self.recordings.get().path("given")
    let run = try FuseProcess.run(["run", input, "-o", scratch.path("out"), "--format", "jsonl"])
    #expect(run.status == 0)
    #expect(Data(run.stdout.utf8) == (try scratch.bytes("out/updates.jsonl")))
  }

  @Test func everyLineIsValid() throws {
    let scratch = try Scratch()
    try run("given", scratch, "out")
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
      // The session's own lines have no angle to publish.
      if convergence["status"] as? String == "converged", object["peer"] is String {
        #expect(object["guidance"] is NSNull)
        #expect(!(object["horizontalAngle"] is NSNull))
        #expect(!(object["worldTransform"] is NSNull))
      }
    }
  }

  /// `fuse run x | head -1` prints one line and still writes its files.
  @Test func aStoryMayBeLeft() throws {
    let scratch = try Scratch()
    let input = try Self.recordings.get().path("given")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", "'\(FuseProcess.binary.path)' run '\(input)' -o '\(scratch.path("out"))' | head -1 >/dev/null",
    ]
    try shell.run()
    shell.waitUntilExit()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).count == 5)
  }

  /// Of two peers one is over-confident: nothing but the verdict is said; of a healthy run nothing at all.
  @Test func quietSaysTheVerdictOnly() throws {
    let scratch = try Scratch()
    let healthy = try FuseProcess.run(
      ["run", try Self.recordings.get().path("given"), "-o", scratch.path("healthy"), "--quiet"])
    #expect(healthy.status == 0 && healthy.stdout.isEmpty && healthy.stderr.isEmpty, "\(healthy.stderr)")
    let input = Repository.root.appendingPathComponent("datasets/two-peers").path
    let run = try FuseProcess.run(["run", input, "-o", scratch.path("out"), "--quiet"])
    #expect(run.status == 0)
    #expect(run.stdout.isEmpty)
    #expect(run.errorLines.count == 1 && run.stderr.hasPrefix("verdict: doubtful: overConfident: "), "\(run.stderr)")
  }

  @Test func theDefaultOutputBearsTheRecordingsName() throws {
    let scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("walk"))
    #expect(try FuseProcess.run(["run", "walk/"], in: scratch.url).status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path("walk-fuse")).sorted()
        == ["result.json", "timing.json", "trajectory.tum", "trajectory_covariance.csv", "updates.jsonl"])
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
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).count == 5)
  }

  @Test func anUnknownPeerIsAnError() throws {
    let scratch = try Scratch()
    let run = try FuseProcess.run([
      "run", Self.recordings.get().path("given"), "-o", scratch.path("out"), "--peer", "nobody",
    ])
    #expect(run.status == 2)
    #expect(run.stderr.hasPrefix("error: ") && run.stderr.contains("nobody"))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
  }

  @Test func aConfigurationIsAppliedAndChecked() throws {
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
