/// A distortion of the image plane, in focal lengths, with its inverse by iteration.
protocol PlaneDistortion: Sendable {
  /// True where the mapping is one-to-one, given the gradients at that undistorted point.
  func isOneToOne(_ q: SIMD2<Double>, _ dx: SIMD2<Double>, _ dy: SIMD2<Double>) -> Bool
  /// The distorted point and its gradients with respect to the undistorted one.
  func distorted(_ q: SIMD2<Double>) -> (point: SIMD2<Double>, xGradient: SIMD2<Double>, yGradient: SIMD2<Double>)
}

extension PlaneDistortion {
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
