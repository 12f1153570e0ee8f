import Datasets
import Evaluation
import Foundation
import FuseCommandTestSupport
import Geometry
import RunResults
import SensorData
import Simulation
import Testing

/// `fuse eval` on synthetic outputs with known errors.
@Suite struct EvalTests {
  /// A recording, and an output folder that is written from its truth with chosen faults.
  private struct Made {
    let scratch: Scratch
    let truth: TruthTrajectory
    let times: [Timestamp]
    let peer: Vector3

    init() throws {
      scratch = try Scratch()
      var scenario = try Scenario.named("arc")
      scenario.camera?.tracks = 5
      let contents = try Simulator(scenario: scenario, seed: 5).recording()
      try DatasetWriter(folder: scratch.url.appendingPathComponent("rec")).write(contents)
      truth = TruthTrajectory(contents.truth)
      // The moments that every truth row has: nothing is interpolated.
      times = stride(from: 0, to: contents.truth.count, by: 5).map { contents.truth[$0].timestamp }
      peer = contents.peers[0].position
    }

    func write(
      rotation: Rotation = .identity, shift: Vector3 = .zero, alternating: Double = 0, angleOff: Double = 0,
      halfWidth: Double = 0.1, status: String = "converged"
    ) throws {
      let worldFromTruth = Pose(rotation: rotation, translation: shift)
      let folder = try OutputFolder(path: scratch.path("out"))
      for (k, time) in times.enumerated() {
        var pose = worldFromTruth * truth.worldFromBody(at: time)!
        pose.translation.z += k.isMultiple(of: 2) ? alternating : -alternating
        try folder.write(time, worldFromBody: pose, covariance: PoseCovariance(position: 1e-4 * Matrix3.identity))
        let real = truth.worldFromBody(at: time)!
        let angle = HorizontalAngle.of(peer - real.translation, worldFromDevice: real.rotation) + angleOff
        var record = UpdateRecord(timestamp: time, peer: "tag", status: status)
        record.distance = (peer - real.translation).norm
        record.horizontalAngle = .init(
          value: angle, standardDeviation: halfWidth / 1.645, low: angle - halfWidth, high: angle + halfWidth)
        record.verticalDirectionEstimate = "same"
        record.worldPosition = worldFromTruth * peer
        try folder.write(record)
      }
      try folder.commit(result: [:], timing: ["recording": .string(scratch.path("rec"))])
    }

    func judged(_ arguments: [String] = []) throws -> [String: Any] {
      let outcome = try FuseProcess.run(["eval", scratch.path("out"), "--format", "jsonl", "--no-ideal"] + arguments)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      return try #require(JSONSerialization.jsonObject(with: Data(outcome.stdout.utf8)) as? [String: Any])
    }
  }

  private func number(_ line: [String: Any], _ key: String) throws -> Double {
    try #require(line[key] as? Double, "\(key)")
  }

  /// Zeros within the nine decimals of the recording's truth.
  @Test func aPerfectOutputHasZeros() throws {
    let made = try Made()
    try made.write()
    let line = try made.judged()
    for key in [
      "ateYawAligned", "ateSE3", "rpe", "rpe2m", "attitudeDegrees", "angleErrorDegrees", "distanceError",
      "positionError",
    ] {
      #expect(try number(line, key) < 1e-5, "\(key)")
    }
    #expect(try number(line, "falseConverged") == 0 && number(line, "coverage90") == 1)
    #expect(try number(line, "verticalWrong") == 0 && number(line, "verticalDecided") == 1)
    #expect(try number(line, "timeToConverge") == 0)
  }

  @Test func aMovedWorldIsNoError() throws {
    let made = try Made()
    try made.write(rotation: .yaw(2), shift: Vector3(5, -6, 7))
    let line = try made.judged()
    for key in ["ateYawAligned", "ateSE3", "rpe", "positionError"] { #expect(try number(line, key) < 1e-6, "\(key)") }
  }

  @Test func knownErrorsAreReported() throws {
    let made = try Made()
    try made.write(rotation: .exp(Vector3(0.1, 0, 0)), alternating: 0.02)
    let line = try made.judged()
    #expect(abs(try number(line, "ateSE3") - 0.02) < 1e-4)
    #expect(try number(line, "ateYawAligned") > 0.02)
    #expect(abs(try number(line, "attitudeDegrees") - Angle.inDegrees(0.1)) < 0.2)
  }

  /// Five degrees off with an interval of one: over-confident, but not false.
  @Test func overconfidenceIsFound() throws {
    let made = try Made()
    try made.write(angleOff: Angle.degrees(5), halfWidth: Angle.degrees(1))
    let line = try made.judged()
    #expect(abs(try number(line, "angleErrorDegrees") - 5) < 1e-6)
    #expect(try number(line, "coverage90") == 0 && number(line, "falseConverged") == 0)
  }

  @Test func falseConvergenceIsFound() throws {
    let made = try Made()
    try made.write(angleOff: Angle.degrees(25))
    #expect(try number(try made.judged(), "falseConverged") == 1)
    try made.write(angleOff: Angle.degrees(25), status: "notConverged")
    let line = try made.judged()
    #expect(line["falseConverged"] is NSNull && line["timeToConverge"] is NSNull)
  }

  @Test func expectationsAreKeptOrNot() throws {
    let made = try Made()
    try made.write(angleOff: Angle.degrees(5))
    let (out, file) = (made.scratch.path("out"), made.scratch.path("expected.json"))
    func eval(_ arguments: [String]) throws -> FuseProcess.Outcome {
      try FuseProcess.run(["eval", out, "--no-ideal"] + arguments)
    }
    #expect(try eval(["--save-expected", file]).status == 0)
    #expect(try eval(["--expect", file]).status == 0)
    try made.write(angleOff: Angle.degrees(7))
    let worse = try eval(["--expect", file])
    #expect(worse.status == 1)
    #expect(
      worse.errorLines.contains { $0.contains("angleErrorDegrees: found 7.0, expected 5.0") && $0.hasSuffix("worse") })
    try made.write(angleOff: Angle.degrees(1))
    let better = try eval(["--expect", file])
    #expect(better.status == 1)
    #expect(better.errorLines.contains { $0.contains("angleErrorDegrees") && $0.hasSuffix("suspiciously better") })
  }

  @Test(arguments: [
    (["eval"], 64), (["eval", "/nowhere"], 2), (["eval", "--scenario", "nothing"], 2),
    (["eval", "x", "--jobs", "0"], 64), (["eval", "x", "--draw-start"], 64),
    (["eval", "--scenario", "still", "--seeds", "0"], 64), (["eval", "/nowhere", "--expect", "/nowhere.json"], 2),
  ])
  func wrongUseEndsClearly(arguments: [String], status: Int) throws {
    let outcome = try FuseProcess.run(arguments)
    #expect(Int(outcome.status) == status)
    #expect(outcome.stderr.lowercased().contains("error"))
  }

  /// Other folders of a shell pattern are skipped; a single folder must be a recording or run.
  @Test func otherFoldersAreSkipped() throws {
    let made = try Made()
    try made.write(angleOff: 0)
    let (out, file) = (made.scratch.path("out"), made.scratch.path("notes.txt"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    let outcome = try FuseProcess.run(["eval", out + "/", file, "--no-ideal", "--format", "jsonl"])
    #expect(outcome.status == 0 && outcome.stderr.contains("\(file): neither recording nor run, skipped"))
    #expect(outcome.stdout.split(separator: "\n").count == 1 && outcome.stdout.contains("\"\(out)\""))
    #expect(try FuseProcess.run(["eval", file, "--no-ideal"]).status == 2)
    #expect(try FuseProcess.run(["eval", out, "/nowhere", "--no-ideal"]).status == 2)
  }

  /// A recording other than that of the run is refused.
  @Test func anotherRecordingIsRefused() throws {
    let made = try Made()
    let recording = made.scratch.path("rec")
    #expect(try FuseProcess.run(["run", recording, "-o", made.scratch.path("out"), "--quiet"]).status == 0)
    #expect(try FuseProcess.run(["eval", made.scratch.path("out"), "--no-ideal"]).status == 0)
    let file = recording + "/mav0/peers_groundtruth0/data.csv"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: file))
    let outcome = try FuseProcess.run(["eval", made.scratch.path("out"), "--no-ideal"])
    #expect(outcome.status == 2 && outcome.stderr.contains("--truth"))
  }

  /// One job or two, the same bytes; scenarios need no folder.
  @Test func jobsDoNotMatter() throws {
    let outputs = try ["1", "2"].map { jobs in
      try FuseProcess.run(
        ["eval", "--scenario", "arc", "--seeds", "3", "--jobs", jobs, "--format", "jsonl", "--no-ideal"])
    }
    #expect(outputs[0].status == 0 && outputs[0].stdout == outputs[1].stdout)
    let line = try #require(JSONSerialization.jsonObject(with: Data(outputs[0].stdout.utf8)) as? [String: Any])
    #expect(line["trials"] as? Int == 3)
    let intervals = try #require(line["confidence95"] as? [String: Any])
    #expect(intervals["coverage90"] is [Double])
  }

  /// Two scenarios, and a row for the trials of both.
  @Test func subjectsArePooled() throws {
    let outcome = try FuseProcess.run(
      ["eval", "--scenario", "arc", "--scenario", "still", "--seeds", "2", "--pool", "--format", "jsonl", "--no-ideal"])
    #expect(outcome.status == 0)
    let lines = try outcome.stdout.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["name"] as? String } == ["arc", "still", "all"])
    #expect(lines.map { $0["trials"] as? Int } == [2, 2, 4])
    // Converged or not, both count; only arcs have angles.
    #expect(lines[2]["coverage90"] as? Double == lines[0]["coverage90"] as? Double && lines[0]["coverage90"] is Double)
    #expect(lines[1]["coverage90"] is NSNull)
  }
}
