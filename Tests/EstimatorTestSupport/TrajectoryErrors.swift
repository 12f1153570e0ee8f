import Foundation
import Geometry
import SensorData

/// Errors of an estimated trajectory against the truth, for this module's tests.
package struct TrajectoryErrors {
  /// An estimate, the truth at its time, and the covariance of (theta, p), row-major 6 x 6.
  package struct Row {
    package var timestamp: Timestamp
    package var estimate: Pose
    package var truth: Pose
    package var covariance: [Double]

    package init(timestamp: Timestamp, estimate: Pose, truth: Pose, covariance: [Double]) {
      (self.timestamp, self.estimate, self.truth, self.covariance) = (timestamp, estimate, truth, covariance)
    }
  }

  package var rows: [Row]

  package init(rows: [Row]) { self.rows = rows }

  /// Root mean square position error after the best yaw and translation, metres.
  /// Closed form: Zhang and Scaramuzza 2018, doi:10.1109/IROS.2018.8593941.
  package var yawAligned: Double {
    let count = Double(max(rows.count, 1))
    let a = rows.reduce(Vector3.zero) { $0 + $1.estimate.translation } / count
    let b = rows.reduce(Vector3.zero) { $0 + $1.truth.translation } / count
    var sine = 0.0, cosine = 0.0
    for row in rows {
      let p = row.estimate.translation - a, q = row.truth.translation - b
      sine += p.x * q.y - p.y * q.x
      cosine += p.x * q.x + p.y * q.y
    }
    let yaw = Rotation.yaw(atan2(sine, cosine))
    let sum = rows.reduce(0) {
      $0 + (yaw * ($1.estimate.translation - a) - ($1.truth.translation - b)).squaredNorm
    }
    return (sum / count).squareRoot()
  }

  /// Root mean square position error without alignment, metres.
  package var unaligned: Double {
    let sum = rows.reduce(0) { $0 + ($1.estimate.translation - $1.truth.translation).squaredNorm }
    return (sum / Double(max(rows.count, 1))).squareRoot()
  }

  /// Root mean square attitude error without alignment, radians.
  package var attitude: Double {
    let sum = rows.reduce(0) { $0 + Self.theta($1).squaredNorm }
    return (sum / Double(max(rows.count, 1))).squareRoot()
  }

  /// Mean NEES of the position and of the attitude; 3 each for a consistent filter.
  package var nees: (position: Double, attitude: Double) {
    var position = 0.0, attitude = 0.0
    for row in rows {
      func block(_ at: Int) -> Matrix3 {
        var m = Matrix3.zero
        for i in 0..<3 { for j in 0..<3 { m[i, j] = row.covariance[6 * (at + i) + at + j] } }
        return m
      }
      let p = row.truth.translation - row.estimate.translation, theta = Self.theta(row)
      if let inverse = block(3).inverse { position += inverse.form(p, p) }
      if let inverse = block(0).inverse { attitude += inverse.form(theta, theta) }
    }
    let count = Double(max(rows.count, 1))
    return (position / count, attitude / count)
  }

  private static func theta(_ row: Row) -> Vector3 { (row.truth.rotation * row.estimate.rotation.inverse).log }
}
