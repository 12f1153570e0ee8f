import Foundation
import Geometry
import SensorData

/// The output folder of a run, read back for evaluation, reports and comparison.
package struct RunFolder: Sendable {
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
  /// The updates, in the file's order.
  package let updates: [UpdateRecord]
  /// The trajectory, in the file's order; empty where there is none.
  package let poses: [PoseRow]
  /// `result.json`; nil where there is none.
  package let result: JSONValue?
  /// Path of the run's recording; nil where the run has none.
  package let recordingPath: String?

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
  /// - Throws: `DatasetError` with file and line for a line that cannot be read.
  package init(path: String) throws(DatasetError) {
    self.path = path
    updates = try Self.readUpdates("\(path)/\(OutputFolder.updatesName)")
    var poses = try Self.readPoses("\(path)/\(OutputFolder.trajectoryName)")
    try Self.readCovariances("\(path)/\(OutputFolder.covarianceName)", into: &poses)
    self.poses = poses
    let resultPath = "\(path)/\(OutputFolder.resultName)"
    result = RegularFile.exists(resultPath) ? try JSONValue(contentsOf: resultPath) : nil
    let timingPath = "\(path)/\(OutputFolder.timingName)"
    recordingPath = RegularFile.exists(timingPath) ? try JSONValue(contentsOf: timingPath)["recording"]?.text : nil
  }

  private static func readUpdates(_ path: String) throws(DatasetError) -> [UpdateRecord] {
    let reader = try LineReader(path: path)
    let decoder = JSONDecoder()
    var updates: [UpdateRecord] = []
    while let line = try reader.next() {
      if line.isEmpty { continue }
      do { updates.append(try decoder.decode(UpdateRecord.self, from: Data(buffer: line))) } catch {
        throw DatasetError(file: path, line: reader.line, found: cause(error), expected: "an update as JSON")
      }
    }
    return updates
  }

  private static func cause(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, _)?: "no \(key.stringValue)"
    case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?:
      "a value of another kind in \(context.codingPath.map(\.stringValue).joined(separator: "."))"
    case .dataCorrupted(let context)? where !context.codingPath.isEmpty: context.debugDescription
    default: "no JSON"
    }
  }

  private static func readPoses(_ path: String) throws(DatasetError) -> [PoseRow] {
    guard RegularFile.exists(path) else { return [] }
    let reader = try LineReader(path: path)
    var poses: [PoseRow] = []
    while let line = try reader.next() {
      if line.isEmpty || line[0] == UInt8(ascii: "#") { continue }
      guard let (timestamp, pose) = TrajectoryLine.parse(String(decoding: line, as: UTF8.self)) else {
        throw DatasetError(
          file: path, line: reader.line, found: "no pose", expected: "seconds x y z qx qy qz qw, finite numbers")
      }
      poses.append(PoseRow(timestamp: timestamp, worldFromBody: pose))
    }
    return poses
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
