import Foundation
import Geometry

/// A path's displacements over one lag, summed up: how they scatter, and how well they are known.
struct DisplacementStatistics {
  private(set) var count = 0.0
  /// Sum of their outer products, m^2.
  private(set) var scatter = Matrix3.zero
  /// Sum of the covariances that the path lost meanwhile, m^2.
  private(set) var lost = Matrix3.zero
  /// Sum of their outer products over the squared range, 1.
  private(set) var turning = Matrix3.zero

  /// Counts one displacement, metres; `lost` is the covariance that the path lost meanwhile, m^2, `range` what was measured after it, metres.
  mutating func add(_ step: Vector3, lost: Matrix3, range: Double) {
    count += 1
    let outer = Matrix3(outer: step, step)
    scatter += outer
    turning += 1 / (range * range) * outer
    self.lost += lost
  }

  /// Unit normal of the plane that explains the vertical part of the steps by their horizontal part as well as a plane can; the vertical where
  /// there are too few.
  var normal: Vector3 {
    let up = Vector3(0, 0, 1)
    guard let inverse = (scatter + 1e-9 * max(scatter.trace, 1e-9) * Matrix3.identity).inverse else { return up }
    return (inverse * up).normalized
  }

  /// Level unit vector along which they scatter least: the normal of the upright plane that they leave least.
  var sideways: Vector3 {
    let along = 0.5 * atan2(2 * scatter[0, 1], scatter[0, 0] - scatter[1, 1])
    return Vector3(-sin(along), cos(along), 0)
  }

  /// Mean square along a unit vector, m^2.
  func spread(along normal: Vector3) -> Double { count > 0 ? max(scatter.form(normal, normal), 0) / count : 0 }

  /// Mean square of what the path errs by over that of the steps, along a unit vector.
  func error(along normal: Vector3) -> Double {
    max(lost.form(normal, normal), 0) / max(scatter.form(normal, normal), 1e-300)
  }
}
