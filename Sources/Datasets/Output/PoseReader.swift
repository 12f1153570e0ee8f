import Geometry
import SensorData

/// Reads `trajectory.tum` line by line, with the rows of `trajectory_covariance.csv`: memory does not grow with the files.
package final class PoseReader {
  /// A pose of the trajectory.
  package struct Row: Equatable, Sendable {
    /// When.
    package var timestamp: Timestamp
    /// The body in the estimate's world.
    package var worldFromBody: Pose
    /// Its covariance; nil where the run has none.
    package var covariance: PoseCovariance?
    /// Whether the trajectory began anew with it.
    package var beginsWorld: Bool
  }

  private static let mark = Array(TrajectoryLine.newWorld.utf8.dropLast())

  private let poses: LineReader?
  private let covariances: LineReader?
  /// The row of covariances that no pose has taken yet.
  private var ahead: (timestamp: Timestamp, covariance: PoseCovariance)?

  /// Opens the files of a run's folder; without them there are no rows.
  package init(folder: String) throws(DatasetError) {
    func lines(_ name: String) throws(DatasetError) -> LineReader? {
      let path = "\(folder)/\(name)"
      return RegularFile.exists(path) ? try LineReader(path: path) : nil
    }
    poses = try lines(OutputFolder.trajectoryName)
    covariances = try lines(OutputFolder.covarianceName)
  }

  /// The next pose, in the file's order; nil at the end.
  ///
  /// - Throws: `DatasetError` with file and line for a line that is no pose or no covariance.
  package func next() throws(DatasetError) -> Row? {
    var beginsWorld = false
    while let poses, let line = try poses.next() {
      if line.isEmpty || line[0] == UInt8(ascii: "#") {
        if line.elementsEqual(Self.mark) { beginsWorld = true }
        continue
      }
      guard let (timestamp, pose) = TrajectoryLine.parse(String(decoding: line, as: UTF8.self)) else {
        throw DatasetError(
          file: poses.path, line: poses.line, found: "no pose",
          expected: "seconds x y z qx qy qz qw, numbers within +-1e9")
      }
      return Row(
        timestamp: timestamp, worldFromBody: pose, covariance: try covariance(at: timestamp), beginsWorld: beginsWorld)
    }
    // The rest is still checked.
    while try nextCovariance() != nil {}
    return nil
  }

  /// Rows belong to poses by their time; a pose without a row has no covariance.
  private func covariance(at time: Timestamp) throws(DatasetError) -> PoseCovariance? {
    if ahead == nil { ahead = try nextCovariance() }
    while let row = ahead, row.timestamp < time { ahead = try nextCovariance() }
    guard let row = ahead, row.timestamp == time else { return nil }
    ahead = nil
    return row.covariance
  }

  private func nextCovariance() throws(DatasetError) -> (timestamp: Timestamp, covariance: PoseCovariance)? {
    while let covariances, let line = try covariances.next() {
      if line.isEmpty || line[0] == UInt8(ascii: "#") { continue }
      guard let row = CovarianceLine.parse(String(decoding: line, as: UTF8.self)) else {
        throw DatasetError(
          file: covariances.path, line: covariances.line, found: "no covariance", expected: "a time and 21 numbers")
      }
      return row
    }
    return nil
  }
}
