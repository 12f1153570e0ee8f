import Geometry

/// Gravity of known length from a quadratic cost: minimises `g^T D g - 2 d^T g` subject to `|g| = length`.
///
/// The minimiser solves `(D - lambda I) g = d` with lambda at most D's smallest eigenvalue. There `|g|` increases with
/// lambda, so bisection finds it, and it is the global minimum.
/// Source: Gander, Golub, von Matt, "A constrained eigenvalue problem", 1989, doi:10.1016/0024-3795(89)90494-1.
package enum GravitySphere {
  /// The minimiser; nil if it is not unique (no linear part along the weakest direction) or not finite.
  ///
  /// - Parameters:
  ///   - D: symmetric, positive semidefinite.
  ///   - length: positive.
  package static func least(_ D: Matrix3, _ d: Vector3, length: Double) -> Vector3? {
    guard d.isFinite, D.trace.isFinite, D.trace > 0, length > 0 else { return nil }
    var low = -d.norm / length, high = D.trace
    for _ in 0..<200 {
      let middle = 0.5 * (low + high)
      if let g = solution(D, d, middle), g.norm <= length { low = middle } else { high = middle }
      if high - low <= 1e-16 * max(abs(low), abs(high)) { break }
    }
    guard let g = solution(D, d, low), abs(g.norm / length - 1) < 1e-3 else { return nil }
    return length * g.normalized
  }

  /// Nil where `D - lambda I` is not positive definite.
  private static func solution(_ D: Matrix3, _ d: Vector3, _ lambda: Double) -> Vector3? {
    let shifted = D + Matrix3(diagonal: Vector3(repeating: -lambda))
    let minor = shifted[0, 0] * shifted[1, 1] - shifted[0, 1] * shifted[1, 0]
    guard shifted[0, 0] > 0, minor > 0, shifted.determinant > 0, let inverse = shifted.inverse else { return nil }
    let g = inverse * d
    return g.isFinite ? g : nil
  }
}
