import Foundation
import Geometry
import JSONText
import SensorData

/// The output folder of a run, read back for evaluation, reports and comparison.
package struct RunFolder: Sendable {
  /// What is kept in memory: some hundred bytes an update and a pose. `forEachUpdate` and `PoseReader` read all, one at a time.
  package enum Kept: Equatable, Sendable {
    case all
    /// No updates.
    case poses
    /// No updates and no poses.
    case none
    /// At most so many updates, and as many poses: `Thinning`, updates by peer.
    case thinned(Int)
  }

  /// A pose of the trajectory.
  package struct PoseRow: Equatable, Sendable {
    /// When.
    package var timestamp: Timestamp
    /// The body in the estimate's world.
    package var worldFromBody: Pose
  }

  /// Its path, as given by the user.
  package let path: String
  /// The updates, in the file's order; how many of them was asked for.
  package let updates: [UpdateRecord]
  /// Whether updates are missing, because there were more than was asked for.
  package let isThinned: Bool
  /// The trajectory, in the file's order; empty where there is none; how much of it was asked for.
  package let poses: [PoseRow]
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
    path: String, isVerified: Bool = true, keeping kept: Kept = .all
  ) throws(DatasetError) {
    self.path = path
    guard !UnfinishedMark.exists(in: path) else {
      throw DatasetError(
        file: path, found: "a folder that was not written to its end (\(UnfinishedMark.name))",
        expected: "a whole one: make it anew")
    }
    let resultPath = "\(path)/\(OutputFolder.resultName)"
    result = RegularFile.exists(resultPath) ? try JSONValue(contentsOf: resultPath) : nil
    warnings = try isVerified ? RunManifest.check(result, in: path) : []
    (updates, isThinned) = try Self.readUpdates(path, kept)
    poses = try Self.readPoses(path, kept)
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
    _ folder: String, _ kept: Kept
  ) throws(DatasetError) -> (updates: [UpdateRecord], isThinned: Bool) {
    let reader = try UpdateReader(folder: folder)
    guard kept.most > 0, kept != .poses else { return ([], false) }
    var updates = Thinning<String?, UpdateRecord>(most: kept.most)
    while let update = try reader.next() { updates.append(update, of: update.peer) }
    return (updates.elements, updates.isThinned)
  }

  private static func readPoses(_ folder: String, _ kept: Kept) throws(DatasetError) -> [PoseRow] {
    guard kept.most > 0 else { return [] }
    let reader = try PoseReader(folder: folder)
    var poses = Thinning<Bool, PoseRow>(most: kept.most)
    while let row = try reader.next() {
      poses.append(PoseRow(timestamp: row.timestamp, worldFromBody: row.worldFromBody), of: true)
    }
    return poses.elements
  }
}

extension RunFolder.Kept {
  /// Most elements of a kind.
  fileprivate var most: Int {
    switch self {
    case .all, .poses: .max
    case .none: 0
    case .thinned(let most): most
    }
  }
}
