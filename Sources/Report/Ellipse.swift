import Foundation

/// The 90 % confidence region of a Gaussian point in a plane.
package struct Ellipse: Equatable, Sendable {
  /// Squared half axes are the variances times this: the 90 % quantile of chi-square with two degrees of freedom, -2 ln
  /// 0.1.
  static let scale = -2 * log(0.1)

  /// The longer half axis, metres.
  package var major: Double
  /// The shorter half axis, metres.
  package var minor: Double
  /// Direction of the longer one, radians, counter-clockwise from the plane's first axis, (-pi/2, pi/2].
  package var direction: Double

  /// The ellipse of the covariance `[[xx, xy], [xy, yy]]`, m^2; nil unless it is finite and has no negative variance.
  package init?(xx: Double, xy: Double, yy: Double) {
    let middle = (xx + yy) / 2
    let radius = hypot((xx - yy) / 2, xy)
    guard middle.isFinite, radius.isFinite, xx >= 0, yy >= 0 else { return nil }
    major = (Self.scale * (middle + radius)).squareRoot()
    minor = (Self.scale * max(0, middle - radius)).squareRoot()
    direction = radius == 0 ? 0 : atan2(2 * xy, xx - yy) / 2
  }
}
