import Datasets
import Geometry
import SensorData

/// Lines of `trajectory.tum`: `seconds x y z qx qy qz qw`, the quaternion with its scalar last and not negative.
package enum TrajectoryLine {
  /// The comment where the trajectory restarted.
  static let newWorld = "# a new world begins: positions here have no relation to those above\n"

  /// Appends the line of one pose, with its line break. False when the pose is not finite: then nothing is appended.
  package static func append(_ timestamp: Timestamp, _ pose: Pose, to bytes: inout [UInt8]) -> Bool {
    let p = pose.translation
    let q = pose.rotation
    // Of the two quaternions of a rotation one is chosen, so that the same pose gives the same bytes.
    let sign: Double = q.w < 0 ? -1 : 1
    let numbers = [p.x, p.y, p.z, sign * q.v.x, sign * q.v.y, sign * q.v.z, sign * q.w]
    guard numbers.allSatisfy(\.isFinite) else { return false }
    bytes.append(contentsOf: seconds(timestamp).utf8)
    for number in numbers {
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: (number == 0 ? 0 : number).description.utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
    return true
  }

  /// The time and the pose of a line; nil for anything else. The time is read as digits: a Double would lose the last
  /// ones.
  package static func parse(_ line: String) -> (Timestamp, Pose)? {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
    guard words.count == 8, let timestamp = timestamp(words[0]) else { return nil }
    // Beyond 1e9 m a number is no position: computing with it overflows.
    let n = words.dropFirst().compactMap { Double($0) }.filter { abs($0) <= 1e9 }
    guard n.count == 7 else { return nil }
    let length = (n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]).squareRoot()
    guard abs(length - 1) < 1e-3 else { return nil }
    return (
      timestamp,
      Pose(
        rotation: Rotation(w: n[6] / length, x: n[3] / length, y: n[4] / length, z: n[5] / length),
        translation: Vector3(n[0], n[1], n[2]))
    )
  }

  /// Seconds as text, up to nine digits behind the point, to nanoseconds.
  static func timestamp(_ text: Substring) -> Timestamp? {
    let isNegative = text.hasPrefix("-")
    let parts = (isNegative ? text.dropFirst() : text).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.allSatisfy(\.isASCII) && $0.allSatisfy(\.isNumber) }),
      let whole = Int64(parts[0])
    else { return nil }
    let digits = parts.count == 2 ? parts[1].prefix(9) : ""
    let fraction = Int64(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow, scaled <= Int64.max - 1_000_000_000 else { return nil }
    return Timestamp(nanoseconds: (isNegative ? -1 : 1) * (scaled + fraction))
  }

  /// Seconds with nine digits behind the point, from integers: a Double would lose the last ones.
  package static func seconds(_ timestamp: Timestamp) -> String {
    let magnitude = timestamp.nanoseconds.magnitude
    let fraction = String(magnitude % 1_000_000_000)
    let padding = String(repeating: "0", count: 9 - fraction.count)
    return (timestamp.nanoseconds < 0 ? "-" : "") + "\(magnitude / 1_000_000_000).\(padding)\(fraction)"
  }
}

/// Lines of `trajectory_covariance.csv`: covariances of the poses of `trajectory.tum`.
///
/// After the time the upper triangle of the 6x6 covariance over (rotation x y z, position x y z), row by row: error
/// `R = Exp(theta) R_hat`, additive position, both in the estimate's world; rad and m, single precision.
package enum CovarianceLine {
  /// The first line of the file, with its line break.
  package static let header: [UInt8] = {
    let axes = ["rx", "ry", "rz", "px", "py", "pz"]
    let names = axes.indices.flatMap { row in axes[row...].map { "cov_\(axes[row])_\($0) []" } }
    return Array((["#timestamp [ns]"] + names).joined(separator: ",").utf8) + [10]
  }()

  /// Appends the line of one pose, with its line break. A non-finite number is an empty cell.
  package static func append(_ timestamp: Timestamp, _ covariance: PoseCovariance, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: timestamp.nanoseconds.description.utf8)
    for value in covariance.upperTriangle {
      bytes.append(UInt8(ascii: ","))
      if value.isFinite { bytes.append(contentsOf: Float(value == 0 ? 0 : value).description.utf8) }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The time and the covariance of a line; nil for anything else.
  static func parse(_ line: String) -> (Timestamp, PoseCovariance)? {
    let cells = line.split(separator: ",", omittingEmptySubsequences: false)
    let values = cells.dropFirst().compactMap { Double($0) }.filter { abs($0) <= 1e18 }
    guard let first = cells.first, let nanoseconds = Int64(first), values.count == cells.count - 1,
      let covariance = PoseCovariance(upperTriangle: values)
    else { return nil }
    return (Timestamp(nanoseconds: nanoseconds), covariance)
  }
}

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
    /// Whether the trajectory restarted with it.
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
    poses = try lines(RunFileNames.trajectory)
    covariances = try lines(RunFileNames.covariance)
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
