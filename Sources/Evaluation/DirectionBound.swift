import Foundation
import Geometry

/// How well ranges along a path can tell the direction of a far peer, in closed form.
///
/// With the scatter of the antenna's places `S = mean (p - p_mean)(p - p_mean)^T` and an orthonormal basis U across the line
/// of sight: `Cov(U^T u) = (sigma^2 / N) (U^T S U)^-1`, the Cramer-Rao bound of `z = rho + b - u . (p - p_mean) + n`. It does
/// not depend on the distance nor on a constant bias. It holds for one mode: mirror images are another matter. White noise;
/// coloured noise counts by an N that is smaller.
package struct DirectionBound: Equatable, Sendable {
  /// Scatter of the antenna's places about their mean, m^2.
  package let scatter: Matrix3
  /// `sigma^2 / N`, m^2.
  package let variance: Double

  /// The bound for ranges of white noise `sigma` (metres) at the given places (world, metres); nil for fewer than two.
  package init?(antennas: [Vector3], sigma: Double) {
    guard antennas.count > 1, antennas.allSatisfy(\.isFinite) else { return nil }
    let share = 1 / Double(antennas.count)
    let mean = antennas.reduce(.zero, +) * share
    scatter = antennas.reduce(.zero) { $0 + share * Matrix3(outer: $1 - mean, $1 - mean) }
    variance = sigma * sigma * share
  }

  /// 1-sigma of azimuth and elevation of a peer in direction `u` (unit, world), radians; nil where the motion leaves a
  /// direction across it open.
  package func angles(toward u: Vector3) -> (azimuth: Double, elevation: Double)? {
    let (level, up) = u.tangentBasis
    let (a, b, c) = (scatter.form(level, level), scatter.form(level, up), scatter.form(up, up))
    let determinant = a * c - b * b
    guard u.horizontalNorm > 1e-6, determinant > 1e-9 * (a + c) * (a + c) else { return nil }
    return (
      (variance * c / determinant).squareRoot() / u.horizontalNorm, (variance * a / determinant).squareRoot()
    )
  }

  /// 1-sigma of the cosine between the direction and an axis (unit, world) along which alone the device moved; nil when it
  /// did not: `sigma / (sqrt(N) a)` with the rms aperture a.
  package func cosine(along axis: Vector3) -> Double? {
    let square = scatter.form(axis, axis)
    return square > 0 ? (variance / square).squareRoot() : nil
  }
}
