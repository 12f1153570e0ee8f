import Foundation
import Geometry

/// Calibration error of the lens: focal lengths and principal point.
///
/// Error (a_x, a_y, b_x, b_y), all relative: `f Exp(a)`, and the principal point shifted by b focal lengths. Distortion
/// is in units of the focal length, so for any lens a pixel `u = f X + c` changes by `(u - c) a + f b`.
extension LensModel {
  /// Dimension of the error.
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

  /// `x [-] y`: the error d with `y [+] d = x`, for two lenses of the same model.
  package func minus(_ y: LensModel) -> [Double] {
    [log(fx / y.fx), log(fy / y.fy), (cx - y.cx) / y.fx, (cy - y.cy) / y.fy]
  }

  /// Gradients of the column and the row of a projected pixel with respect to the error.
  package func errorGradients(at pixel: SIMD2<Double>) -> (column: SIMD4<Double>, row: SIMD4<Double>) {
    (SIMD4(pixel.x - cx, 0, fx, 0), SIMD4(0, pixel.y - cy, 0, fy))
  }

  /// True when all numbers are finite and the focal lengths are positive.
  package var isFinite: Bool { fx > 0 && fy > 0 && fx.isFinite && fy.isFinite && cx.isFinite && cy.isFinite }
}
