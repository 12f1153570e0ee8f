import Foundation
import Geometry

/// Sums over a path's displacements at one lag: their scatter, and the drift of the path meanwhile.
struct DisplacementStatistics {
  private(set) var count = 0.0
  /// Sum of their outer products, m^2.
  private(set) var scatter = Matrix3.zero
  /// Sum of the drift covariances, m^2.
  private(set) var lost = Matrix3.zero
  /// Sum of their outer products over the squared range, 1: the scatter of the line of sight.
  private(set) var angularScatter = Matrix3.zero

  /// Adds one displacement, metres; `lost` is the drift covariance over it, m^2, `range` the range measured after it,
  /// metres.
  mutating func add(_ step: Vector3, lost: Matrix3, range: Double) {
    count += 1
    let outer = Matrix3(outer: step, step)
    scatter += outer
    angularScatter += 1 / (range * range) * outer
    self.lost += lost
  }

  /// Unit normal of the plane that best explains the vertical part of the displacements by their horizontal part; the
  /// vertical where there are too few.
  var normal: Vector3 {
    let up = Vector3(0, 0, 1)
    guard let inverse = (scatter + 1e-9 * max(scatter.trace, 1e-9) * Matrix3.identity).inverse else { return up }
    return (inverse * up).normalized
  }

  /// Horizontal unit vector of least scatter: the normal of the best-fitting vertical plane.
  var sideways: Vector3 {
    let along = 0.5 * atan2(2 * scatter[0, 1], scatter[0, 0] - scatter[1, 1])
    return Vector3(-sin(along), cos(along), 0)
  }

  /// Mean square displacement along a unit vector, m^2.
  func spread(along normal: Vector3) -> Double { count > 0 ? max(scatter.form(normal, normal), 0) / count : 0 }

  /// Drift variance over mean square displacement, along a unit vector.
  func error(along normal: Vector3) -> Double {
    max(lost.form(normal, normal), 0) / max(scatter.form(normal, normal), 1e-300)
  }
}
