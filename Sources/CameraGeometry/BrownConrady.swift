/// Radial and tangential distortion of the image plane, in focal lengths, OpenCV's and EuRoC's order of coefficients.
/// Source: Brown, "Close-range camera calibration", Photogrammetric Engineering 37(8), 1971.
struct BrownConrady: PlaneDistortion {
  let k1, k2, p1, p2: Double
  /// Squared radius at which the radial polynomial stops rising: beyond it a pixel would have two directions.
  private let foldSquared: Double

  init(k1: Double, k2: Double, p1: Double, p2: Double) {
    (self.k1, self.k2, self.p1, self.p2) = (k1, k2, p1, p2)
    // The smallest positive root of d(r + k1 r^3 + k2 r^5)/dr = 1 + 3 k1 s + 5 k2 s^2 with s = r^2.
    let (a, b) = (5 * k2, 3 * k1)
    let discriminant = b * b - 4 * a
    let roots = discriminant < 0 ? [] : [2 / (-b + discriminant.squareRoot()), 2 / (-b - discriminant.squareRoot())]
    foldSquared = roots.filter { $0 > 0 }.min() ?? .infinity
  }

  /// True where the mapping is one-to-one, given the gradients at that undistorted point.
  func isOneToOne(_ q: SIMD2<Double>, _ dx: SIMD2<Double>, _ dy: SIMD2<Double>) -> Bool {
    q.x * q.x + q.y * q.y < foldSquared && dx.x * dy.y - dx.y * dy.x > 0
  }

  /// The distorted point and its gradients with respect to the undistorted one.
  func distorted(_ q: SIMD2<Double>) -> (point: SIMD2<Double>, xGradient: SIMD2<Double>, yGradient: SIMD2<Double>) {
    let (x, y) = (q.x, q.y)
    let s = x * x + y * y
    let radial = 1 + s * (k1 + s * k2)
    let slope = 2 * (k1 + 2 * k2 * s)  // d radial / d s, times the 2 of ds/dx = 2x
    let point = SIMD2(
      x * radial + 2 * p1 * x * y + p2 * (s + 2 * x * x), y * radial + p1 * (s + 2 * y * y) + 2 * p2 * x * y)
    let mixed = slope * x * y + 2 * p1 * x + 2 * p2 * y
    return (
      point, SIMD2(radial + slope * x * x + 2 * p1 * y + 6 * p2 * x, mixed),
      SIMD2(mixed, radial + slope * y * y + 6 * p1 * y + 2 * p2 * x)
    )
  }
}
