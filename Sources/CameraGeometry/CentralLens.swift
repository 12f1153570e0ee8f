import Geometry

/// A lens whose image point is (x, y) over a depth that depends on the direction, with an inverse in closed form.
protocol CentralLens: Sendable {
  /// The depth by which x and y are divided, and its gradient; nil where the direction is not projected.
  func depth(_ d: Vector3) -> (value: Double, gradient: Vector3)?
  /// A direction, not normalised, with this image point in focal lengths; nil where there is none.
  func direction(_ point: SIMD2<Double>) -> Vector3?
}

/// `z + xi |d|`, then radial-tangential distortion.
/// Source: Mei and Rives, "Single view point omnidirectional camera calibration from planar grids", ICRA 2007,
/// doi:10.1109/ROBOT.2007.364084.
struct MeiLens: CentralLens {
  let xi: Double
  let distortion: BrownConrady

  func depth(_ d: Vector3) -> (value: Double, gradient: Vector3)? {
    let norm = d.norm
    // Beyond this angle two directions share a pixel (xi > 1), or the depth is not positive.
    guard d.z > -(xi > 1 ? 1 / xi : xi) * norm else { return nil }
    let value = d.z + xi * norm
    return value > 1e-9 * norm ? (value, Vector3(0, 0, 1) + xi / norm * d) : nil
  }

  func direction(_ point: SIMD2<Double>) -> Vector3? {
    let squared = point.x * point.x + point.y * point.y
    let discriminant = 1 + (1 - xi * xi) * squared
    guard discriminant >= 0 else { return nil }
    let scale = (xi + discriminant.squareRoot()) / (1 + squared)
    return Vector3(scale * point.x, scale * point.y, scale - xi)
  }
}

/// `alpha d2 + (1 - alpha) (xi d1 + z)`, d1 = |(x, y, z)|, d2 = |(x, y, xi d1 + z)|.
/// Source: Usenko, Demmel and Cremers, "The double sphere camera model", 3DV 2018, doi:10.1109/3DV.2018.00069.
struct DoubleSphereLens: CentralLens {
  let xi, alpha: Double

  func depth(_ d: Vector3) -> (value: Double, gradient: Vector3)? {
    let d1 = d.norm
    let w1 = alpha <= 0.5 ? alpha / (1 - alpha) : (1 - alpha) / alpha
    let w2 = (w1 + xi) / (2 * w1 * xi + xi * xi + 1).squareRoot()
    guard d.z > -w2 * d1 else { return nil }
    let shifted = xi * d1 + d.z
    let shiftedGradient = Vector3(0, 0, 1) + xi / d1 * d
    let d2 = (d.x * d.x + d.y * d.y + shifted * shifted).squareRoot()
    let value = alpha * d2 + (1 - alpha) * shifted
    guard value > 1e-9 * d1 else { return nil }
    let d2Gradient = (Vector3(d.x, d.y, 0) + shifted * shiftedGradient) / d2
    return (value, alpha * d2Gradient + (1 - alpha) * shiftedGradient)
  }

  func direction(_ point: SIMD2<Double>) -> Vector3? {
    let squared = point.x * point.x + point.y * point.y
    let inside = 1 - (2 * alpha - 1) * squared
    guard inside >= 0 else { return nil }
    let z = (1 - alpha * alpha * squared) / (alpha * inside.squareRoot() + 1 - alpha)
    let discriminant = z * z + (1 - xi * xi) * squared
    guard discriminant >= 0 else { return nil }
    let scale = (z * xi + discriminant.squareRoot()) / (z * z + squared)
    return Vector3(scale * point.x, scale * point.y, scale * z - xi)
  }
}

/// `alpha sqrt(beta (x^2 + y^2) + z^2) + (1 - alpha) z`.
/// Source: Khomutenko, Garcia and Martinet, "An enhanced unified camera model", RA-L 1(1), 2016,
/// doi:10.1109/LRA.2015.2502921.
struct ExtendedUnifiedLens: CentralLens {
  let alpha, beta: Double

  func depth(_ d: Vector3) -> (value: Double, gradient: Vector3)? {
    let rho = (beta * (d.x * d.x + d.y * d.y) + d.z * d.z).squareRoot()
    let w = alpha <= 0.5 ? alpha / (1 - alpha) : (1 - alpha) / alpha
    guard d.z > -w * rho else { return nil }
    let value = alpha * rho + (1 - alpha) * d.z
    guard value > 1e-9 * rho else { return nil }
    return (value, alpha / rho * Vector3(beta * d.x, beta * d.y, d.z) + Vector3(0, 0, 1 - alpha))
  }

  func direction(_ point: SIMD2<Double>) -> Vector3? {
    let squared = beta * (point.x * point.x + point.y * point.y)
    let inside = 1 - (2 * alpha - 1) * squared
    guard inside >= 0 else { return nil }
    let z = (1 - alpha * alpha * squared) / (alpha * inside.squareRoot() + 1 - alpha)
    return Vector3(point.x, point.y, z)
  }
}
