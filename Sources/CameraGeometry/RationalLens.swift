import Foundation

/// OpenCV's rational distortion of the image plane, in focal lengths: radial
/// `(1 + k1 s + k2 s^2 + k3 s^3) / (1 + k4 s + k5 s^2 + k6 s^3)` of the squared radius s, and tangential.
/// Source: Claus and Fitzgibbon, "A rational function lens distortion model for general cameras", CVPR 2005,
/// doi:10.1109/CVPR.2005.43, in the form and order of OpenCV's documentation.
struct RationalLens: PlaneDistortion {
  let k1, k2, k3, k4, k5, k6, p1, p2: Double
  /// Squared radius at which the image radius stops rising, or the denominator vanishes.
  private let foldSquared: Double

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

  func isOneToOne(_ q: SIMD2<Double>, _ dx: SIMD2<Double>, _ dy: SIMD2<Double>) -> Bool {
    q.x * q.x + q.y * q.y < foldSquared && dx.x * dy.y - dx.y * dy.x > 0
  }

  func distorted(_ q: SIMD2<Double>) -> (point: SIMD2<Double>, xGradient: SIMD2<Double>, yGradient: SIMD2<Double>) {
    let (x, y) = (q.x, q.y)
    let s = x * x + y * y
    let below = 1 + s * (k4 + s * (k5 + s * k6))
    let radial = (1 + s * (k1 + s * (k2 + s * k3))) / below
    // d radial / d s, times the 2 of ds/dx = 2x.
    let slope = 2 * (k1 + s * (2 * k2 + 3 * k3 * s) - radial * (k4 + s * (2 * k5 + 3 * k6 * s))) / below
    let point = SIMD2(
      x * radial + 2 * p1 * x * y + p2 * (s + 2 * x * x), y * radial + p1 * (s + 2 * y * y) + 2 * p2 * x * y)
    let mixed = slope * x * y + 2 * p1 * x + 2 * p2 * y
    return (
      point, SIMD2(radial + slope * x * x + 2 * p1 * y + 6 * p2 * x, mixed),
      SIMD2(mixed, radial + slope * y * y + 6 * p1 * y + 2 * p2 * x)
    )
  }
}
