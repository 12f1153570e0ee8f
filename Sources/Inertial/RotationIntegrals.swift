import Foundation
import Geometry

/// Integrals of a rotation at constant rate, with phi the rotation vector of the whole step: `Gamma_1 = int_0^1 Exp(s
/// phi) ds` (the left Jacobian) and `Gamma_2 = int_0^1 int_0^s Exp(u phi) du ds`.
///
/// `Gamma_1 = I + c1 [phi]x + c2 [phi]x^2`, `Gamma_2 = I/2 + c2 [phi]x + c3 [phi]x^2`. Power series are used below one
/// radian (every step of a real recording), where the closed forms suffer from cancellation.
/// Source: Bloesch et al., "State estimation for legged robots", RSS 2012, doi:10.15607/RSS.2012.VIII.003.
package struct RotationIntegrals {
  private let phi: Vector3
  private let squared: Double
  /// `c_k = sum_j (-1)^j |phi|^2j / (2j + k + 1)!`.
  private let c1, c2, c3: Double

  /// The integrals for one step's rotation vector, radians.
  package init(_ phi: Vector3) {
    self.phi = phi
    squared = phi.squaredNorm
    if squared < 1 {
      let values = Self.series(squared).values
      (c1, c2, c3) = (values[0], values[1], values[2])
    } else {
      let angle = squared.squareRoot()
      let (sine, cosine) = (sin(angle), cos(angle))
      c1 = (1 - cosine) / squared
      c2 = (angle - sine) / (squared * angle)
      c3 = (squared / 2 + cosine - 1) / (squared * squared)
    }
  }

  /// `Gamma_1 v`.
  package func once(_ v: Vector3) -> Vector3 {
    let rotated = phi.cross(v)
    return v + c1 * rotated + c2 * phi.cross(rotated)
  }

  /// `Gamma_2 v`.
  package func twice(_ v: Vector3) -> Vector3 {
    let rotated = phi.cross(v)
    return 0.5 * v + c2 * rotated + c3 * phi.cross(rotated)
  }

  /// `Gamma_1` as a matrix.
  package var once: Matrix3 { Self.matrix(phi, 1, c1, c2) }
  /// `Gamma_2` as a matrix.
  package var twice: Matrix3 { Self.matrix(phi, 0.5, c2, c3) }

  /// `d(Gamma_1 v) / d phi`.
  package func onceDerivative(_ v: Vector3) -> Matrix3 { derivative(v, c1, c2, slopes.0, slopes.1) }
  /// `d(Gamma_2 v) / d phi`.
  package func twiceDerivative(_ v: Vector3) -> Matrix3 { derivative(v, c2, c3, slopes.1, slopes.2) }

  private static func matrix(_ phi: Vector3, _ a: Double, _ b: Double, _ c: Double) -> Matrix3 {
    let k = phi.skew
    return Matrix3(diagonal: Vector3(repeating: a)) + b * k + c * (k * k)
  }

  private func derivative(_ v: Vector3, _ a: Double, _ b: Double, _ da: Double, _ db: Double) -> Matrix3 {
    let rotated = phi.cross(v)
    let twice = phi.cross(rotated)
    let direct: Matrix3 =
      Matrix3(diagonal: Vector3(repeating: phi.dot(v))) + Matrix3(outer: phi, v) - 2.0 * Matrix3(outer: v, phi)
    return (-a) * v.skew + b * direct + Matrix3(outer: da * rotated + db * twice, phi)
  }

  /// The derivatives of the `c_k` by |phi|, divided by |phi|.
  private var slopes: (Double, Double, Double) {
    guard squared >= 1 else {
      let slopes = Self.series(squared).slopes
      return (slopes[0], slopes[1], slopes[2])
    }
    let angle = squared.squareRoot()
    return ((sin(angle) / angle - 2 * c1) / squared, (c1 - 3 * c2) / squared, (c2 - 4 * c3) / squared)
  }

  /// Ratios of consecutive terms of the series of c_1, c_2 and c_3, without the factor |phi|^2.
  private static let steps: [SIMD4<Double>] = (1...8).map { (j: Int) -> SIMD4<Double> in
    func step(_ k: Int) -> Double {
      let factors: Int = (2 * j + k) * (2 * j + k + 1)
      return -1.0 / Double(factors)
    }
    return SIMD4(step(1), step(2), step(3), 0)
  }

  /// The `c_k` and their derivatives by |phi| over |phi|, to machine precision for |phi| < 1 (omitted terms are below
  /// 1e-17); x = |phi|^2.
  private static func series(_ x: Double) -> (values: SIMD4<Double>, slopes: SIMD4<Double>) {
    var term = SIMD4(1.0 / 2, 1.0 / 6, 1.0 / 24, 0)
    var values = term, slopes = SIMD4<Double>.zero, twice = 2.0
    for step in steps {
      term *= step
      slopes += twice * term
      term *= x
      values += term
      twice += 2
    }
    return (values, slopes)
  }
}
