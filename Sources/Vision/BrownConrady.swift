/// Radial and tangential distortion of the image plane, in focal lengths, OpenCV's and EuRoC's order of coefficients.
/// Source: Brown, "Close-range camera calibration", Photogrammetric Engineering 37(8), 1971.
struct BrownConrady {
  var k1, k2, p1, p2: Double

  /// The distorted point and its gradients by the undistorted one.
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

  /// The point that is distorted to `target`: Newton's method with halved steps; nil when none is found before the fold.
  func undistorted(_ target: SIMD2<Double>) -> SIMD2<Double>? {
    func distance(_ p: SIMD2<Double>) -> Double { (p.x * p.x + p.y * p.y).squareRoot() }
    var q = target
    var (point, dx, dy) = distorted(q)
    if dx.x * dy.y - dx.y * dy.x <= 0 {  // start inside the fold
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
        if left < error, gx.x * gy.y - gx.y * gy.x > 0 {
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
