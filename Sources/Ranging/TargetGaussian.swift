import Geometry

/// One Gaussian of a posterior over where a peer is.
package struct TargetGaussian: Equatable, Sendable {
  /// Share of the posterior, 0...1.
  package var weight: Double
  /// The peer in the estimate's world, metres.
  package var position: Vector3
  /// Covariance of that, m^2, relative to the device as it stands now.
  package var covariance: Matrix3

  /// Scale error s of the link against the trajectory: a range is `(1 + s)` times the distance in the trajectory's world.
  package var scale = 0.0
  /// Covariance of the position with s, metres.
  package var scaleCovariance = Vector3.zero
  /// Variance of s.
  package var scaleVariance = 0.0

  package init(weight: Double, position: Vector3, covariance: Matrix3) {
    self.weight = weight
    self.position = position
    self.covariance = covariance
  }
}
