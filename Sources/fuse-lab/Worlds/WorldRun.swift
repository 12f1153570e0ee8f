import Datasets
import Foundation
import JSONText
import RunResults
import SensorData
import Simulation

/// A random world, recorded, run and judged.
struct WorldRun: Sendable {
  /// The command that is measured.
  var fuse: ChildCommand
  /// Settings of `fuse run`, a file.
  var config: String?
  /// Whether the ideal observer stands beside, which knows the law; not of peers that move.
  var hasIdeal = false

  /// Records a world into a folder, which is replaced.
  ///
  /// - Returns: the scenario's text; nil where no room is large enough.
  /// - Throws: `ScenarioError`, `OutputError`.
  @discardableResult
  static func record(_ kind: WorldKind, seed: UInt64, into folder: String) throws -> String? {
    guard let world = try WorldScenario.inARoom(kind, seed: seed) else { return nil }
    var contents = world.simulator.recording()
    if kind == .mirrored { contents.mirrorOdometry(axis: Int(seed % 3)) }
    try DatasetWriter(folder: URL(fileURLWithPath: folder)).write(contents)
    return world.text
  }

  /// The world's row: the figures of `fuse eval`, the codes of the diagnoses, the updates without an angle for an open
  /// premise, and tallies; nil where no room is large enough.
  ///
  /// - Throws: `ScenarioError`, `OutputError`, `DatasetError`; `LabError` where the command fails.
  func row(_ kind: WorldKind, seed: UInt64) throws -> JSONValue? {
    let scratch = try TemporaryFolder("world")
    let (recording, result) = ("\(scratch.path)/recording", "\(scratch.path)/result")
    guard let scenario = try Self.record(kind, seed: seed, into: recording) else { return nil }
    let settings = config.map { ["--config", $0] } ?? []
    try fuse.succeeded(["run", recording, "-o", result, "--quiet"] + settings)
    var row = try fuse.row(["eval", result, "--truth", recording, "--no-ideal", "--format", "jsonl", "--quiet"])
    let run = try RunFolder(path: result, keeping: .none)
    row["diagnoses"] = .texts(run.codes)
    var stamps: [Int64] = [], held = 0
    try run.forEachUpdate { update in
      stamps.append(update.timestamp.nanoseconds)
      if update.details["premise"] != nil { held += 1 }
    }
    (row["updates"], row["held"]) = (.integer(stamps.count), .integer(held))
    row["seconds"] = .number(Double((stamps.last ?? 0) - (stamps.first ?? 0)) * 1e-9)
    row["name"] = .string("\(seed)")
    let truth = try WorldTruth(Recording.open(URL(fileURLWithPath: recording)))
    let links = try truth.tallies(of: UpdateReader(folder: result))
    row["links"] = .object(links.map { .init(key: $0.peer, value: $0.tally.json) })
    if hasIdeal {
      let path = "\(scratch.path)/scenario.yaml"
      try TextFile.write(scenario, to: path)
      row["ideal"] = try fuse.row(
        ["eval", "--scenario", path, "--seeds", "1", "--first-seed", "\(seed)", "--format", "jsonl", "--quiet"]
          + settings)
    }
    return row
  }
}

extension DatasetContents {
  /// Negates an axis of a tracker's positions: x, y, z are 0, 1, 2.
  fileprivate mutating func mirrorOdometry(axis: Int) {
    for index in events.indices {
      guard case .odometry(var pose) = events[index].event else { continue }
      pose.worldFromSensor.translation[axis].negate()
      events[index].event = .odometry(pose)
    }
  }
}
