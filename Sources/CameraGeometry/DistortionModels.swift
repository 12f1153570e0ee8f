import Foundation
import Geometry

/// Radial and tangential distortion of the image plane, in focal lengths, with its inverse by iteration. The tangential part
/// is Brown's.
/// Source: Brown, "Close-range camera calibration", Photogrammetric Engineering 37(8), 1971.
protocol PlaneDistortion: Sendable {
  /// Tangential coefficients, in the order of OpenCV and EuRoC.
  var p1: Double { get }
  var p2: Double { get }
  /// Squared radius at which the image radius stops rising: beyond it a pixel would have two directions.
  var foldSquared: Double { get }
  /// The radial factor at a squared radius s, and twice its derivative by s (the 2 of ds/dx = 2x).
  func radial(_ s: Double) -> (factor: Double, slope: Double)
}

extension PlaneDistortion {
  /// The distorted point and its gradients with respect to the undistorted one.
  func distorted(_ q: SIMD2<Double>) -> (point: SIMD2<Double>, xGradient: SIMD2<Double>, yGradient: SIMD2<Double>) {
    let (x, y) = (q.x, q.y)
    let s = x * x + y * y
    let (radial, slope) = radial(s)
    let point = SIMD2(
      x * radial + 2 * p1 * x * y + p2 * (s + 2 * x * x), y * radial + p1 * (s + 2 * y * y) + 2 * p2 * x * y)
    let mixed = slope * x * y + 2 * p1 * x + 2 * p2 * y
    return (
      point, SIMD2(radial + slope * x * x + 2 * p1 * y + 6 * p2 * x, mixed),
      SIMD2(mixed, radial + slope * y * y + 6 * p1 * y + 2 * p2 * x)
    )
  }

  /// True where the mapping is one-to-one, given the gradients at that undistorted point.
  func isOneToOne(_ q: SIMD2<Double>, _ dx: SIMD2<Double>, _ dy: SIMD2<Double>) -> Bool {
    q.x * q.x + q.y * q.y < foldSquared && dx.x * dy.y - dx.y * dy.x > 0
  }

  /// The point whose distortion is `target`: Newton's method with step halving; nil when none is found before the fold.
  func undistorted(_ target: SIMD2<Double>) -> SIMD2<Double>? {
    func distance(_ p: SIMD2<Double>) -> Double { (p.x * p.x + p.y * p.y).squareRoot() }
    var q = target
    var (point, dx, dy) = distorted(q)
    if !isOneToOne(q, dx, dy) {  // start inside the fold
      q = SIMD2(0, 0)
      (point, dx, dy) = distorted(q)
    }
    var error = distance(target - point)
    for _ in 0..<50 where error > 1e-14 {
      let determinant = dx.x * dy.y - dx.y * dy.x
      let e = target - point
      let step = SIMD2((dy.y * e.x - dx.y * e.y) / determinant, (dx.x * e.y - dy.x * e.x) / determinant)
      var scale = 1.0, improved = false
      while scale > 1e-4 {
        let candidate = q + scale * step
        let (p, gx, gy) = distorted(candidate)
        let left = distance(target - p)
        if left < error, isOneToOne(candidate, gx, gy) {
          (q, point, dx, dy, error, improved) = (candidate, p, gx, gy, left, true)
          break
        }
        scale /= 2
      }
      if !improved { break }
    }
    return error < 1e-9 * (1 + distance(target)) ? q : nil
  }
}

/// Radial `1 + k1 s + k2 s^2` of the squared radius s.
struct BrownConrady: PlaneDistortion {
  let p1, p2, foldSquared: Double
  private let k1, k2: Double

  init(k1: Double, k2: Double, p1: Double, p2: Double) {
    (self.k1, self.k2, self.p1, self.p2) = (k1, k2, p1, p2)
    // The smallest positive root of d(r + k1 r^3 + k2 r^5)/dr = 1 + 3 k1 s + 5 k2 s^2 with s = r^2.
    let (a, b) = (5 * k2, 3 * k1)
    let discriminant = b * b - 4 * a
    let roots = discriminant < 0 ? [] : [2 / (-b + discriminant.squareRoot()), 2 / (-b - discriminant.squareRoot())]
    foldSquared = roots.filter { $0 > 0 }.min() ?? .infinity
  }

  func radial(_ s: Double) -> (factor: Double, slope: Double) { (1 + s * (k1 + s * k2), 2 * (k1 + 2 * k2 * s)) }
}

/// OpenCV's rational distortion, radial `(1 + k1 s + k2 s^2 + k3 s^3) / (1 + k4 s + k5 s^2 + k6 s^3)`.
/// Source: Claus and Fitzgibbon, "A rational function lens distortion model for general cameras", CVPR 2005,
/// doi:10.1109/CVPR.2005.43, in the form and order of OpenCV's documentation.
struct RationalLens: PlaneDistortion {
  let p1, p2: Double
  /// Where the image radius stops rising, or the denominator vanishes.
  let foldSquared: Double
  private let k1, k2, k3, k4, k5, k6: Double

  init(
    k1: Double, k2: Double, k3: Double, k4: Double, k5: Double, k6: Double, p1: Double, p2: Double
  ) {
    (self.k1, self.k2, self.k3, self.k4, self.k5, self.k6) = (k1, k2, k3, k4, k5, k6)
    (self.p1, self.p2) = (p1, p2)
    func rises(_ s: Double) -> Bool {
      let below = 1 + s * (k4 + s * (k5 + s * k6))
      let above = 1 + s * (k1 + s * (k2 + s * k3))
      let slopes = (k1 + s * (2 * k2 + 3 * k3 * s), k4 + s * (2 * k5 + 3 * k6 * s))
      return below > 0 && above * below + 2 * s * (slopes.0 * below - above * slopes.1) > 0
    }
    // The first angle at which it does not rise, to 0.05 degrees; then bisected.
    let steps = 1800
    func squared(_ step: Double) -> Double {
      let tangent = tan(step * 0.5 * .pi / Double(steps))
      return tangent * tangent
    }
    guard let first = (1..<steps).first(where: { !rises(squared(Double($0))) }) else {
      foldSquared = .infinity
      return
    }
    var (low, high) = (squared(Double(first - 1)), squared(Double(first)))
    for _ in 0..<60 {
      let middle = 0.5 * (low + high)
      if rises(middle) { low = middle } else { high = middle }
    }
    foldSquared = low
  }

  func radial(_ s: Double) -> (factor: Double, slope: Double) {
    let below = 1 + s * (k4 + s * (k5 + s * k6))
    let factor = (1 + s * (k1 + s * (k2 + s * k3))) / below
    return (factor, 2 * (k1 + s * (2 * k2 + 3 * k3 * s) - factor * (k4 + s * (2 * k5 + 3 * k6 * s))) / below)
  }
}

/// A lens that is symmetric about its axis: image radius (in focal lengths) as a function of the angle off the axis.
protocol RadialLens: Sendable {
  /// Image radius at an angle, radians, and its derivative; a slope that is not positive means out of the lens's range.
  func radius(_ angle: Double) -> (value: Double, slope: Double)
  /// The angle in 0..<pi with this radius; nil when there is none.
  func angle(ofRadius radius: Double) -> Double?
}

/// `r = theta (1 + k1 theta^2 + k2 theta^4 + k3 theta^6 + k4 theta^8)`.
/// Source: Kannala and Brandt, TPAMI 28(8), 2006, doi:10.1109/TPAMI.2006.153.
struct KannalaBrandt: RadialLens {
  var k1, k2, k3, k4: Double

  func radius(_ angle: Double) -> (value: Double, slope: Double) {
    let s = angle * angle
    let value = angle * (1 + s * (k1 + s * (k2 + s * (k3 + s * k4))))
    let slope = 1 + s * (3 * k1 + s * (5 * k2 + s * (7 * k3 + s * 9 * k4)))
    return (value, slope)
  }

  func angle(ofRadius radius: Double) -> Double? {
    // Newton's steps, kept inside a bracket that bisection narrows: converges from anywhere on the rising branch.
    var low = 0.0, high = Double.pi, theta = min(radius, 1.5)
    for _ in 0..<100 {
      let (value, slope) = self.radius(theta)
      if slope <= 0 { high = theta } else if value < radius { low = theta } else { high = theta }
      let newton = slope > 0 ? theta - (value - radius) / slope : -1
      let next = newton > low && newton < high ? newton : 0.5 * (low + high)
      if abs(next - theta) < 1e-15 { break }
      theta = next
    }
    let (value, slope) = self.radius(theta)
    return slope > 0 && abs(value - radius) < 1e-9 * (1 + radius) ? theta : nil
  }
}

/// `r = atan(2 tan(theta) tan(w / 2)) / w`.
/// Source: Devernay and Faugeras, "Straight lines have to be straight", 2001, doi:10.1007/PL00013269.
struct FieldOfViewLens: RadialLens {
  var w: Double

  func radius(_ angle: Double) -> (value: Double, slope: Double) {
    // Without noticeable distortion it is a pinhole.
    if abs(w) < 1e-6 { return angle < .pi / 2 ? (tan(angle), 1 / (cos(angle) * cos(angle))) : (.infinity, 0) }
    let k = 2 * tan(w / 2)
    let (s, c) = (sin(angle), cos(angle))
    return (atan2(k * s, c) / w, k / (w * (c * c + k * k * s * s)))
  }

  func angle(ofRadius radius: Double) -> Double? {
    if abs(w) < 1e-6 { return atan(radius) }
    guard radius * w < .pi else { return nil }
    return atan2(sin(radius * w), 2 * tan(w / 2) * cos(radius * w))
  }
}

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
