import Foundation
import Geometry

/// Cramer-Rao bound of the direction of a far peer from ranges along a path, in closed form.
///
/// S is the scatter of the antenna positions, `S = mean (p - p_mean)(p - p_mean)^T`; U is an orthonormal basis across
/// the line of sight. The bound of `z = rho + b - u . (p - p_mean) + n` is `Cov(U^T u) = (sigma^2 / N) (U^T S U)^-1`.
/// It depends neither on the distance nor on a constant bias. It holds for one mode and does not cover reflection
/// images. n is white; coloured noise corresponds to a smaller N.
package struct DirectionBound: Equatable, Sendable {
  /// Scatter of the antenna positions about their mean, m^2.
  package let scatter: Matrix3
  /// `sigma^2 / N`, m^2.
  package let variance: Double

  /// The bound for ranges of white noise `sigma` (metres) at the given positions (world, metres); nil for fewer than
  /// two.
  package init?(antennas: [Vector3], sigma: Double) {
    guard antennas.count > 1, antennas.allSatisfy(\.isFinite) else { return nil }
    let weight = 1 / Double(antennas.count)
    let mean = antennas.reduce(.zero, +) * weight
    scatter = antennas.reduce(.zero) { $0 + weight * Matrix3(outer: $1 - mean, $1 - mean) }
    variance = sigma * sigma * weight
  }

  /// 1-sigma of azimuth and elevation of a peer in direction `u` (unit, world), radians; nil where the motion does not
  /// observe both directions across it.
  package func angles(toward u: Vector3) -> (azimuth: Double, elevation: Double)? {
    let (level, up) = u.tangentBasis
    let (a, b, c) = (scatter.form(level, level), scatter.form(level, up), scatter.form(up, up))
    let determinant = a * c - b * b
    guard u.horizontalNorm > 1e-6, determinant > 1e-9 * (a + c) * (a + c) else { return nil }
    return (
      (variance * c / determinant).squareRoot() / u.horizontalNorm, (variance * a / determinant).squareRoot()
    )
  }

  /// 1-sigma of the cosine between the direction and the only axis (unit, world) of the motion, `sigma / (sqrt(N) a)`
  /// with the rms aperture a; nil without motion.
  package func cosine(along axis: Vector3) -> Double? {
    let square = scatter.form(axis, axis)
    return square > 0 ? (variance / square).squareRoot() : nil
  }
}
