import Foundation
import Geometry

/// What a calibration of the lens may be wrong about: focal lengths and principal point.
///
/// Error (a_x, a_y, b_x, b_y), all shares: `f Exp(a)`, and the principal point shifted by b focal lengths. Distortion is told in
/// units of the focal length, so that a pixel `u = f X + c` changes by `(u - c) a + f b`, whatever the lens.
extension LensModel {
  /// Size of the error.
  package static let errorSize = 4

  /// (fx, fy, cx, cy), pixels.
  package var intrinsics: SIMD4<Double> { SIMD4(fx, fy, cx, cy) }

  /// `x [+] d`. Law: `x.plus(d).minus(x) == d`.
  package func plus(_ d: ArraySlice<Double>) -> LensModel {
    precondition(d.count == Self.errorSize, "one number for every error")
    let s = d.startIndex
    var next = self
    next.cx += fx * d[s + 2]
    next.cy += fy * d[s + 3]
    next.fx *= exp(d[s])
    next.fy *= exp(d[s + 1])
    return next
  }

  /// `x [-] y`: the error that carries y to x, two lenses of one make.
  package func minus(_ y: LensModel) -> [Double] {
    [log(fx / y.fx), log(fy / y.fy), (cx - y.cx) / y.fx, (cy - y.cy) / y.fy]
  }

  /// How the column and the row of a projected pixel change with the error.
  package func errorGradients(at pixel: SIMD2<Double>) -> (column: SIMD4<Double>, row: SIMD4<Double>) {
    (SIMD4(pixel.x - cx, 0, fx, 0), SIMD4(0, pixel.y - cy, 0, fy))
  }

  /// True when nothing is NaN or infinite and the focal lengths are positive.
  package var isFinite: Bool { fx > 0 && fy > 0 && fx.isFinite && fy.isFinite && cx.isFinite && cy.isFinite }
}
