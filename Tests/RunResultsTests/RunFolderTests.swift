import Datasets
import Foundation
import Geometry
import RunResults
import SensorData
import Simulation
import Testing

/// An output folder is read back as written.
@Suite struct RunFolderTests {
  private static func scratch() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("fuse-run-\(UUID().uuidString)").path
  }

  private static let updates: [UpdateRecord] = {
    var full = UpdateRecord(
      timestamp: Timestamp(nanoseconds: 1_700_000_012_037_000_001), peer: "t\"a\\g\u{1}", status: "notConverged",
      reasons: ["insufficientMovement"], guidance: "Move.",
      details: ["range": .number(5.25), "rangeUse": .string("used"), "list": .array([.string("a"), .null])])
    full.distance = 5.431
    full.distanceStandardDeviation = 0.06
    full.direction = Vector3(0.117, -0.031, -0.993)
    full.horizontalAngle = .init(value: 3.1, standardDeviation: 0.031, low: 3.0, high: 3.3)
    full.verticalDirectionEstimate = "aboveOrBelow"
    full.worldPosition = Vector3(4.31, 2.02, -0.21)
    full.positionCovariance = Matrix3(rows: Vector3(1, 2, 3), Vector3(2, 5, 6), Vector3(3, 6, 9))
    full.quality = "precise"
    return [full, UpdateRecord(timestamp: Timestamp(nanoseconds: -5), peer: nil, status: "unknown")]
  }()

  @Test func whatWasWrittenIsRead() throws {
    let path = Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: path) }
    var random = SeededRandom(seed: 81)
    let poses = (0..<20).map { k in
      (
        Timestamp(nanoseconds: 1_700_000_000_000_000_000 + Int64(k) * 33_333_333),
        Pose(rotation: random.rotation(), translation: random.gaussian3())
      )
    }
    let covariance = PoseCovariance(
      rotation: 0.25 * Matrix3.identity, cross: Matrix3(outer: Vector3(1, 2, 3), Vector3(0, 1, 0)),
      position: 4 * Matrix3.identity)
    do {
      let folder = try OutputFolder(path: path)
      for update in Self.updates { try folder.write(update) }
      for (time, pose) in poses { try folder.write(time, worldFromBody: pose, covariance: covariance) }
      try folder.commit(result: ["x": .number(1.5)], timing: ["recording": .string("/a/b")])
    }
    #expect(RunFolder.isRun(path))
    let run = try RunFolder(path: path)
    #expect(run.updates == Self.updates)
    #expect(run.recordingPath == "/a/b")
    #expect(run.result?["x"]?.double == 1.5)
    #expect(run.poses.map(\.timestamp) == poses.map(\.0))
    let reader = try PoseReader(folder: path)
    for (time, pose) in poses {
      let row = try #require(try reader.next())
      #expect(row.timestamp == time && !row.beginsWorld)
      #expect((row.worldFromBody.translation - pose.translation).norm < 1e-12)
      #expect((row.worldFromBody.rotation * pose.rotation.inverse).log.norm < 1e-9)
      #expect(row.covariance == covariance)
    }
    #expect(try reader.next() == nil)
  }

  @Test(arguments: [
    ("updates.jsonl", "{\"peer\":\"tag\"}\n", "updates.jsonl:1: no timestamp"),
    ("updates.jsonl", "{\"timestamp\":1,\"peer\":null}\n\nrubbish\n", "updates.jsonl:3: no JSON"),
    (
      "updates.jsonl", "{\"timestamp\":1,\"peer\":\"a\",\"direction\":[1,2]}\n",
      "updates.jsonl:1: 2 numbers in direction"
    ),
    ("updates.jsonl", "{\"timestamp\":1,\"peer\":7}\n", "updates.jsonl:1: a value of another kind in peer"),
    ("trajectory.tum", "# a comment\n1.5 0 0 0 0 0 0 1\n1.6 0 0 0 nan 0 0 1\n", "trajectory.tum:3: no pose"),
    ("trajectory.tum", "1.5 0 0 0 0 0 0 7\n", "trajectory.tum:1: no pose"),
    ("trajectory_covariance.csv", "#timestamp\n12,1,2\n", "trajectory_covariance.csv:2: no covariance"),
    ("timing.json", "{", "timing.json: no JSON"),
  ])
  func aLineThatCannotBeReadIsNamed(file: String, text: String, expected: String) throws {
    let path = Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var files = ["updates.jsonl": "", "trajectory.tum": "1 0 0 0 0 0 0 1\n"]
    files[file] = text
    for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
    let error = #expect(throws: DatasetError.self) { try RunFolder(path: path, isVerified: false) }
    #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
  }

  @Test func aFolderWithoutUpdatesIsNoRun() {
    #expect(!RunFolder.isRun("/nowhere"))
    #expect(throws: DatasetError.self) { try RunFolder(path: "/nowhere") }
  }
}
