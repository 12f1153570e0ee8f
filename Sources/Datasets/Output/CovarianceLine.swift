import Geometry
import SensorData

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
