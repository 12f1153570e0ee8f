import Foundation
import Geometry
import SensorData

/// The output folder of a run, read back for evaluation, reports and comparison.
package struct RunFolder: Sendable {
  /// Which updates are kept in memory, some hundred bytes each; `forEachUpdate` reads all of them, one at a time.
  package enum KeptUpdates: Equatable, Sendable {
    case all, none
    /// At most so many, at least half of it: every second, or fourth, ... of each peer, with the first and the last.
    case thinned(Int)
  }

  /// A pose of the trajectory.
  package struct PoseRow: Equatable, Sendable {
    /// When.
    package var timestamp: Timestamp
    /// The body in the estimate's world.
    package var worldFromBody: Pose
    /// Its covariance; nil where the run has none.
    package var covariance: PoseCovariance?
  }

  /// Its path, as given by the user.
  package let path: String
  /// The updates, in the file's order; how many of them was asked for.
  package let updates: [UpdateRecord]
  /// Whether updates are missing, because there were more than was asked for.
  package let isThinned: Bool
  /// The trajectory, in the file's order; empty where there is none.
  package let poses: [PoseRow]
  /// The first poses of its second world and of all after it: there the trajectory began anew.
  package let worlds: [Timestamp]
  /// `result.json`; nil where there is none.
  package let result: JSONValue?
  /// Path of the run's recording; nil where the run has none.
  package let recordingPath: String?
  /// Warnings, one line each.
  package let warnings: [String]

  /// Whether a folder is the output of a run rather than a recording.
  package static func isRun(_ path: String) -> Bool {
    RegularFile.exists("\(path)/\(OutputFolder.updatesName)") && !RegularFile.exists("\(path)/mav0")
  }

  /// Whether the path is neither: a file, or a folder without `mav0`.
  package static func isNeitherRunNorRecording(_ path: String) -> Bool {
    RegularFile.exists(path) && !isRun(path) && !RegularFile.isFolder("\(path)/mav0")
  }

  /// Reads a folder. Only `updates.jsonl` is required.
  ///
  /// - Parameter isVerified: false: files that are not those of one run are read all the same.
  /// - Throws: `DatasetError` with file and line for a line that cannot be read, and for a file that is not the one of
  ///   `result.json`.
  package init(
    path: String, isVerified: Bool = true, keeping kept: KeptUpdates = .all
  ) throws(DatasetError) {
    self.path = path
    let resultPath = "\(path)/\(OutputFolder.resultName)"
    result = RegularFile.exists(resultPath) ? try JSONValue(contentsOf: resultPath) : nil
    warnings = try isVerified ? RunManifest.check(result, in: path) : []
    (updates, isThinned) = try Self.readUpdates(path, kept)
    var (poses, worlds) = try Self.readPoses("\(path)/\(OutputFolder.trajectoryName)")
    try Self.readCovariances("\(path)/\(OutputFolder.covarianceName)", into: &poses)
    self.poses = poses
    self.worlds = worlds
    let timingPath = "\(path)/\(OutputFolder.timingName)"
    recordingPath = RegularFile.exists(timingPath) ? try JSONValue(contentsOf: timingPath)["recording"]?.text : nil
  }

  /// Calls `body` with every update of the file.
  ///
  /// - Throws: `DatasetError` with file and line for a line that is no update.
  package func forEachUpdate(_ body: (UpdateRecord) -> Void) throws(DatasetError) {
    let reader = try UpdateReader(folder: path)
    while let update = try reader.next() { body(update) }
  }

  private static func readUpdates(
    _ folder: String, _ kept: KeptUpdates
  ) throws(DatasetError) -> (updates: [UpdateRecord], isThinned: Bool) {
    let reader = try UpdateReader(folder: folder)
    guard kept != .none else { return ([], false) }
    var updates: [UpdateRecord] = []
    var stride = 1
    var last: [String?: UpdateRecord] = [:]
    var ordinals: [String?: Int] = [:]
    while let update = try reader.next() {
      let ordinal = ordinals[update.peer, default: 0]
      ordinals[update.peer] = ordinal + 1
      if ordinal.isMultiple(of: stride) {
        updates.append(update)
        last[update.peer] = nil
      } else {
        last[update.peer] = update
      }
      if case .thinned(let most) = kept, updates.count > most {
        stride *= 2
        var seen: [String?: Int] = [:]
        updates.removeAll { update in
          defer { seen[update.peer, default: 0] += 1 }
          return !seen[update.peer, default: 0].isMultiple(of: 2)
        }
      }
    }
    updates += last.values
    if stride > 1 { updates.sort { ($0.timestamp, $0.peer ?? "") < ($1.timestamp, $1.peer ?? "") } }
    return (updates, stride > 1)
  }

  private static func readPoses(_ path: String) throws(DatasetError) -> (poses: [PoseRow], worlds: [Timestamp]) {
    guard RegularFile.exists(path) else { return ([], []) }
    let reader = try LineReader(path: path)
    let mark = Array(TrajectoryLine.newWorld.utf8.dropLast())
    var poses: [PoseRow] = []
    var worlds: [Timestamp] = []
    var isNewWorld = false
    while let line = try reader.next() {
      if line.isEmpty || line[0] == UInt8(ascii: "#") {
        if line.elementsEqual(mark) { isNewWorld = true }
        continue
      }
      guard let (timestamp, pose) = TrajectoryLine.parse(String(decoding: line, as: UTF8.self)) else {
        throw DatasetError(
          file: path, line: reader.line, found: "no pose", expected: "seconds x y z qx qy qz qw, numbers within +-1e9")
      }
      poses.append(PoseRow(timestamp: timestamp, worldFromBody: pose))
      if isNewWorld { worlds.append(timestamp) }
      isNewWorld = false
    }
    return (poses, worlds)
  }

  /// Rows belong to poses by their time; a pose without a row has no covariance.
  private static func readCovariances(_ path: String, into poses: inout [PoseRow]) throws(DatasetError) {
    guard RegularFile.exists(path) else { return }
    let reader = try LineReader(path: path)
    var next = 0
    while let line = try reader.next() {
      if line.isEmpty || line[0] == UInt8(ascii: "#") { continue }
      guard let (timestamp, covariance) = CovarianceLine.parse(String(decoding: line, as: UTF8.self)) else {
        throw DatasetError(file: path, line: reader.line, found: "no covariance", expected: "a time and 21 numbers")
      }
      while next < poses.count, poses[next].timestamp < timestamp { next += 1 }
      guard next < poses.count, poses[next].timestamp == timestamp else { continue }
      poses[next].covariance = covariance
      next += 1
    }
  }
}
