import Evaluation
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

/// Against `evo` (Michael Grupp, github.com/MichaelGrupp/evo), run as a program: `pip install evo`, or `$FUSE_EVO`
/// names the folder of its commands. Skipped where it is missing.
@Suite struct EvoTests {
  private static let folder: String? = {
    let path = ProcessInfo.processInfo.environment
    let folders = [path["FUSE_EVO"] ?? ""] + (path["PATH"] ?? "").split(separator: ":").map(String.init)
    return folders.first { !$0.isEmpty && FileManager.default.isExecutableFile(atPath: $0 + "/evo_ape") }
  }()

  /// A curved walk, 30 s at 20 Hz, and a drifting estimate of it in another world.
  private static let walk: (rows: [GroundTruthState], poses: [EstimatedPose]) = {
    var random = SeededRandom(seed: 321)
    var truth = Pose.identity
    var estimate = Pose(rotation: .exp(Vector3(0.2, -0.3, 1)), translation: Vector3(3, -2, 1))
    var rows: [GroundTruthState] = []
    var poses: [EstimatedPose] = []
    for k in 0..<600 {
      let time = Timestamp(nanoseconds: 1_700_000_000_000_000_000 + Int64(k) * 50_000_000)
      rows.append(GroundTruthState(timestamp: time, worldFromBody: truth))
      poses.append(EstimatedPose(timestamp: time, worldFromBody: estimate))
      let step = Pose(
        rotation: .exp(0.03 * random.gaussian3()), translation: Vector3(0.05, 0, 0) + 0.01 * random.gaussian3())
      let error = Pose(rotation: .exp(0.002 * random.gaussian3()), translation: 0.003 * random.gaussian3())
      truth = truth * step
      estimate = estimate * step * error
    }
    return (rows, poses)
  }()

  /// RMSE that an evo command prints with all digits.
  private static func rmse(_ command: String, _ arguments: [String]) throws -> Double {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-evo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    func tum(_ name: String, _ poses: [(Timestamp, Pose)]) throws -> String {
      let text = poses.map { time, pose in
        let (p, q) = (pose.translation, pose.rotation)
        let seconds = "\(time.nanoseconds / 1_000_000_000).\(String(format: "%09d", time.nanoseconds % 1_000_000_000))"
        return "\(seconds) \(p.x) \(p.y) \(p.z) \(q.v.x) \(q.v.y) \(q.v.z) \(q.w)\n"
      }.joined()
      let file = scratch.appendingPathComponent(name)
      try Data(text.utf8).write(to: file)
      return file.path
    }
    let files = [
      try tum("truth.tum", walk.rows.map { ($0.timestamp, $0.worldFromBody) }),
      try tum("estimate.tum", walk.poses.map { ($0.timestamp, $0.worldFromBody) }),
    ]
    let results = scratch.appendingPathComponent("results.zip").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: folder! + "/" + command)
    process.arguments = ["tum"] + files + arguments + ["--save_results", results, "--no_warnings", "--silent"]
    process.environment = ["HOME": scratch.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let unzip = Process()
    unzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    unzip.arguments = ["python3", "-m", "zipfile", "-e", results, scratch.path]
    try unzip.run()
    unzip.waitUntilExit()
    let stats = try Data(contentsOf: scratch.appendingPathComponent("stats.json"))
    let json = try #require(JSONSerialization.jsonObject(with: stats) as? [String: Any])
    return try #require(json["rmse"] as? Double)
  }

  private func errors() throws -> TrajectoryErrors {
    try #require(TrajectoryErrors(Self.walk.poses, truth: TruthTrajectory(Self.walk.rows)))
  }

  @Test(.enabled(if: folder != nil, "evo is not installed: pip install evo"))
  func theAbsoluteErrorAgrees() throws {
    #expect(abs(try errors().ateSE3 - Self.rmse("evo_ape", ["--align"])) < 1e-6)
  }

  @Test(.enabled(if: folder != nil, "evo is not installed: pip install evo"), arguments: [1.0, 5, 20])
  func theRelativeErrorAgrees(length: Double) throws {
    let pairs = ["--delta", "\(length)", "--delta_unit", "m", "--all_pairs", "--pairs_from_reference"]
    let ours = try #require(try errors().relativeByLength.first { $0.length == length })
    #expect(abs(try Self.rmse("evo_rpe", pairs + ["--pose_relation", "trans_part"]) - ours.translation) < 1e-6)
    #expect(abs(try Self.rmse("evo_rpe", pairs + ["--pose_relation", "angle_rad"]) - ours.rotation) < 1e-6)
  }
}
