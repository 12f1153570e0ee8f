import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// Recordings with one thing wrong about their set-up: whatever a person looks at of a run names it.
@Suite struct SetUpMistakeTests {
  /// What is wrong, and the codes one of which the verdict names.
  struct Mistake: CustomTestStringConvertible, Sendable {
    var name: String
    var codes: [String]
    var testDescription: String { name }
  }

  private static let demo = Repository.root.appendingPathComponent("datasets/demo").path
  private static let shared = SharedData.root?.deletingLastPathComponent().appendingPathComponent("tools/setup-faults")
  /// The shared ones need numpy.
  private static let hasShared: Bool = {
    guard let shared, FileManager.default.fileExists(atPath: shared.path) else { return false }
    return (try? python("-c", "import numpy")) == 0
  }()

  private static let inertial = ["imuAxes", "visualInertialMismatch", "gravitySign", "cameraMount"]

  /// Relatives of the most frequent ones, of `tools/update-faults`.
  static let own = [
    Mistake(name: "accelerometer-cm", codes: ["accelerometerUnit"]),
    Mistake(name: "gyroscope-degrees", codes: ["gyroscopeUnit"]),
    Mistake(name: "accelerometer-axes", codes: ["imuAxes"]),
    Mistake(name: "gravity-removed", codes: ["accelerometerScale", "gravityMissing"]),
    Mistake(name: "camera-mount-inverse", codes: inertial),
    Mistake(name: "intrinsics-half", codes: ["cameraIntrinsics"]),
    Mistake(name: "lens-ignored", codes: ["lensModel"]),
    Mistake(name: "camera-late-200ms", codes: ["cameraClock"]),
    Mistake(name: "features-normalised", codes: ["featureCoordinates"]),
    Mistake(name: "range-centimetres", codes: ["rangeUnit"]),
    Mistake(name: "radio-late-0.5s", codes: ["radioClock"]),
    Mistake(name: "range-3-long", codes: ["overConfident", "rangeBias"]),
    Mistake(name: "odometry-y-down-imu", codes: ["odometryConvention"]),
    Mistake(name: "odometry-conjugate-imu", codes: ["odometryConvention"]),
    Mistake(name: "odometry-left-handed-imu", codes: ["odometryConvention"]),
    Mistake(name: "odometry-xyzw-imu", codes: ["odometryConvention"]),
    Mistake(name: "odometry-camera-axes-imu", codes: ["imuMount"]),
    Mistake(name: "odometry-scale-0.5", codes: ["odometryScale"]),
    Mistake(name: "time-milliseconds", codes: ["timestampUnit"]),
  ]

  /// Those of the shared tool; a spike is handled, and is named all the same.
  static let foreign = [
    Mistake(name: "accelerometer-in-g", codes: ["accelerometerUnit"]),
    Mistake(name: "accelerometer-sign", codes: inertial), Mistake(name: "gyroscope-axes", codes: ["imuAxes"]),
    Mistake(name: "imu-spike", codes: ["sensorSpike"]), Mistake(name: "extrinsic-inverse", codes: inertial),
    Mistake(name: "intrinsics-other-resolution", codes: ["cameraIntrinsics"]),
    Mistake(name: "camera-late-20ms", codes: ["cameraClock"]), Mistake(name: "features-v-up", codes: inertial),
    Mistake(name: "range-millimetres", codes: ["rangeUnit"]), Mistake(name: "radio-late-1s", codes: ["radioClock"]),
    Mistake(name: "range-bias-085", codes: ["overConfident", "rangeBias"]),
    Mistake(name: "odometry-y-up", codes: ["odometryConvention"]),
    Mistake(name: "odometry-xyzw", codes: ["odometryConvention"]),
    Mistake(name: "time-microseconds", codes: ["timestampUnit"]),
  ]

  @Test(arguments: own) func aRelativeIsSeenEverywhere(_ mistake: Mistake) throws {
    let scratch = try Scratch()
    #expect(try Self.faults("make", Self.demo, scratch.path("made"), mistake.name) == 0)
    try expectSeen(mistake, scratch)
  }

  @Test(.enabled(if: hasShared, "skipped: no ../shared/tools/setup-faults, or no numpy"), arguments: foreign)
  func aSharedOneIsSeenEverywhere(_ mistake: Mistake) throws {
    let scratch = try Scratch()
    let tool = try #require(Self.shared).path
    #expect(try Self.python(tool, Self.demo, scratch.path("made"), mistake.name) == 0)
    try expectSeen(mistake, scratch)
  }

  @Test func aHealthyRunSaysSoOnceAndIsQuiet() throws {
    let scratch = try Scratch()
    let story = try FuseProcess.run(["run", Self.demo, "-o", scratch.path("out")])
    #expect(story.status == 0 && story.stdout.hasSuffix("\nverdict: healthy\n"))
    let quiet = try FuseProcess.run(["run", Self.demo, "-o", scratch.path("out"), "--quiet"])
    #expect(quiet.status == 0 && quiet.stdout.isEmpty && quiet.stderr.isEmpty)
    let result = try Self.object(scratch.bytes("out/result.json"))
    #expect((result["verdict"] as? [String: Any])?["state"] as? String == "healthy")
  }

  /// Broken runs stand apart from the figures of the others, and are named.
  @Test func aBrokenRunIsNotPooled() throws {
    let scratch = try Scratch()
    #expect(try Self.faults("make", Self.demo, scratch.path("made"), "range-centimetres") == 0)
    let folders = [Self.demo, scratch.path("made/range-centimetres")]
    let eval = try FuseProcess.run(["eval"] + folders + ["--no-ideal", "--pool", "--format", "jsonl"])
    #expect(eval.status == 0, "\(eval.stderr)")
    let rows = try eval.stdout.split(separator: "\n").map { try Self.object(Data($0.utf8)) }
    #expect(rows.count == 3)
    #expect(rows.map { $0["apart"] as? Int } == [0, 1, 1])
    for key in ["coverage90", "distanceCoverage90", "distanceError", "angleErrorDegrees"] {
      #expect(try #require(rows[2][key] as? Double) == rows[0][key] as? Double, "\(key)")
    }
    let table = try FuseProcess.run(["eval"] + folders + ["--no-ideal", "--pool"])
    #expect(table.stdout.contains("BROKEN rangeUnit") && table.stdout.contains("set-up broken: rangeUnit: "))
    #expect(table.stdout.contains("all: without 1 of 2 runs, whose set-up is broken"))
  }

  private func expectSeen(_ mistake: Mistake, _ scratch: Scratch) throws {
    let (folder, out) = (scratch.path("made/\(mistake.name)"), scratch.path("out"))
    let state =
      mistake.codes == ["sensorSpike"] ? "healthy" : mistake.codes[0] == "overConfident" ? "doubtful" : "broken"
    func named(_ text: String) -> Bool { mistake.codes.contains { text.contains("\($0): ") } }

    let story = try FuseProcess.run(["run", folder, "-o", out])
    #expect(story.status == 0, "\(story.stderr)")
    // The verdict is the last thing that is said.
    let last = try #require(story.stdout.range(of: "\nverdict: ", options: .backwards)).lowerBound
    let words = story.stdout[last...].split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(named(words), "\(words)")
    #expect(words.contains(state == "broken" ? "set-up broken" : state), "\(words)")

    let result = try Self.object(scratch.bytes("out/result.json"))
    let verdict = try #require(result["verdict"] as? [String: Any])
    #expect(verdict["state"] as? String == state)
    let findings = try #require(verdict["findings"] as? [[String: Any]])
    #expect(mistake.codes.contains(try #require(findings.first?["code"] as? String)))
    #expect(!(try #require(findings.first?["remedy"] as? String)).isEmpty)

    let quiet = try FuseProcess.run(["run", folder, "-o", out, "--quiet"])
    #expect(quiet.status == 0 && quiet.stdout.isEmpty)
    #expect(quiet.stderr == "verdict: \(try #require(verdict["line"] as? String))\n")

    let eval = try FuseProcess.run(["eval", out, "--truth", folder, "--no-ideal"])
    #expect(eval.status == 0, "\(eval.stderr)")
    let column = state == "healthy" ? "healthy" : "\(state == "broken" ? "BROKEN" : state) "
    #expect(eval.stdout.contains(column), "\(eval.stdout)")

    let report = try FuseProcess.run(["report", out, "--truth", folder, "-o", scratch.path("page.html")])
    #expect(report.status == 0, "\(report.stderr)")
    let page = String(decoding: try scratch.bytes("page.html"), as: UTF8.self)
    let begin = try #require(page.range(of: "id=\"data\">")).upperBound
    let end = try #require(page.range(of: "</script>", range: begin..<page.endIndex)).lowerBound
    let model = try Self.object(Data(page[begin..<end].utf8))
    let run = try #require((model["runs"] as? [[String: Any]])?.first)
    let peers = try #require(run["peers"] as? [[String: Any]])
    #expect(peers.first?["setUp"] as? String == state)
    let causes = try #require(peers.first?["causes"] as? [String])
    #expect(causes.contains(where: named) || state == "doubtful" && !causes.isEmpty, "\(causes)")
    if state == "broken" { #expect(peers.first?["words"] as? String == "set-up broken") }

    // Of the same events as a stream, as the service has them: there is no truth.
    guard state != "doubtful" else { return }
    let live = try FuseProcess.shell(
      "\"$FUSE\" stream '\(folder)' | \"$FUSE\" run - -o '\(scratch.path("live"))' --format jsonl")
    #expect(live.status == 0 && named(live.stderr), "\(live.stderr)")
  }

  private static func object(_ bytes: some Sequence<UInt8>) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  /// The exit code of `tools/update-faults`.
  private static func faults(_ arguments: String...) throws -> Int32 {
    let tool = Repository.root.appendingPathComponent("tools/update-faults").path
    return try FuseProcess.shell(([tool] + arguments).map { "'\($0)'" }.joined(separator: " ")).status
  }

  /// The exit code of a tool in Python.
  private static func python(_ arguments: String...) throws -> Int32 {
    try FuseProcess.shell("python3 " + arguments.map { "'\($0)'" }.joined(separator: " ")).status
  }
}
