import Foundation
import Geometry

/// The integrals of a rotation that turns at a constant rate, phi being the angle turned over the whole step:
/// `Gamma_1 = int_0^1 Exp(s phi) ds` (the left Jacobian) and `Gamma_2 = int_0^1 int_0^s Exp(u phi) du ds`.
///
/// `Gamma_1 = I + c1 [phi]x + c2 [phi]x^2`, `Gamma_2 = I/2 + c2 [phi]x + c3 [phi]x^2`, with power series below one radian
/// (every step of a real recording), where the closed forms would cancel.
/// Source: Bloesch et al., "State estimation for legged robots", RSS 2012, doi:10.15607/RSS.2012.VIII.003.
package struct RotationIntegrals {
  private let phi: Vector3
  /// `c_k = sum_j (-1)^j |phi|^2j / (2j + k + 1)!`, and their derivatives by |phi|, divided by |phi|.
  private let c1, c2, c3, d1, d2, d3: Double

  /// The integrals for one step's rotation vector, radians.
  package init(_ phi: Vector3) {
    self.phi = phi
    let squared = phi.squaredNorm
    if squared < 1 {
      (c1, d1) = Self.series(squared, k: 1)
      (c2, d2) = Self.series(squared, k: 2)
      (c3, d3) = Self.series(squared, k: 3)
    } else {
      let angle = squared.squareRoot()
      let (sine, cosine) = (sin(angle), cos(angle))
      c1 = (1 - cosine) / squared
      c2 = (angle - sine) / (squared * angle)
      c3 = (squared / 2 + cosine - 1) / (squared * squared)
      d1 = (sine / angle - 2 * c1) / squared
      d2 = (c1 - 3 * c2) / squared
      d3 = (c2 - 4 * c3) / squared
    }
  }

  /// `Gamma_1 v`.
  package func once(_ v: Vector3) -> Vector3 {
    let turned = phi.cross(v)
    return v + c1 * turned + c2 * phi.cross(turned)
  }

  /// `Gamma_2 v`.
  package func twice(_ v: Vector3) -> Vector3 {
    let turned = phi.cross(v)
    return 0.5 * v + c2 * turned + c3 * phi.cross(turned)
  }

  /// `Gamma_1` as a matrix.
  package var once: Matrix3 { Self.matrix(phi, 1, c1, c2) }
  /// `Gamma_2` as a matrix.
  package var twice: Matrix3 { Self.matrix(phi, 0.5, c2, c3) }

  /// `d(Gamma_1 v) / d phi`.
  package func onceDerivative(_ v: Vector3) -> Matrix3 { derivative(v, c1, c2, d1, d2) }
  /// `d(Gamma_2 v) / d phi`.
  package func twiceDerivative(_ v: Vector3) -> Matrix3 { derivative(v, c2, c3, d2, d3) }

  private static func matrix(_ phi: Vector3, _ a: Double, _ b: Double, _ c: Double) -> Matrix3 {
    let k = phi.skew
    return Matrix3(diagonal: Vector3(repeating: a)) + b * k + c * (k * k)
  }

  private func derivative(_ v: Vector3, _ a: Double, _ b: Double, _ da: Double, _ db: Double) -> Matrix3 {
    let turned = phi.cross(v)
    let twice = phi.cross(turned)
    let direct: Matrix3 =
      Matrix3(diagonal: Vector3(repeating: phi.dot(v))) + Matrix3(outer: phi, v) - 2.0 * Matrix3(outer: v, phi)
    return (-a) * v.skew + b * direct + Matrix3(outer: da * turned + db * twice, phi)
  }

  /// `c_k` and its derivative by |phi| over |phi|, to machine precision for |phi| < 1 (the terms left out are below 1e-17).
  private static func series(_ x: Double, k: Int) -> (value: Double, slope: Double) {
    var term = 1.0
    for j in 1...(k + 1) { term /= Double(j) }
    var value = term, slope = 0.0
    for j in 1...8 {
      let step = -1 / Double((2 * j + k) * (2 * j + k + 1))
      slope += Double(2 * j) * term * step
      term *= step * x
      value += term
    }
    return (value, slope)
  }
}
