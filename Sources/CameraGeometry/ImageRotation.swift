import Geometry
import LeastSquares
import SensorData

/// Rotation of the image between two frames: the rotation that best carries the features' old directions to their new
/// ones.
///
/// The median feature displacement shows a slow rotation only above the noise of a single feature; the least-squares
/// fit over all features resolves a fraction of that.
package struct ImageRotation: Equatable, Sendable {
  /// Rotation vector of the scene in the camera's axes, radians.
  package let vector: Vector3
  /// Inverse of its covariance for direction errors of one radian (1-sigma) in each of the two frames.
  private let information: Matrix3

  /// Rounds of outlier rejection.
  private static let rounds = 3
  /// Residual limit in multiples of the median: 3.5 sigma of noise.
  private static let outlying = 3.0

  /// Fits the rotation between two frames; nil with too few common features, or where all lie in one direction. O(n log
  /// n).
  ///
  /// With directions a then and b now, `b = a + theta x a`; least squares over the features.
  /// Source: the linear form of Wahba's problem for small angles, SIAM Review 7(3), 1965, doi:10.1137/1007077.
  ///
  /// - Parameter features: sorted by id, each id once.
  package init?(
    from old: [FeatureObservation], to new: [FeatureObservation], lens: LensModel, fewest: Int
  ) {
    let pairs: [(then: Vector3, moved: Vector3)] = FeaturePair.shared(old, new).compactMap { pair in
      guard let then = lens.direction(ofPixel: pair.then), let now = lens.direction(ofPixel: pair.now) else {
        return nil
      }
      return (then, now - then)
    }
    var rotation = Vector3.zero, normal = Matrix3.zero
    for _ in 0..<Self.rounds {
      let residuals = pairs.map { ($0.moved - rotation.cross($0.then)).norm }
      guard pairs.count >= fewest, let median = residuals.median else { return nil }
      var right = Vector3.zero
      normal = .zero
      for (pair, residual) in zip(pairs, residuals) where residual <= Self.outlying * median {
        normal += Matrix3.identity - Matrix3(outer: pair.then, pair.then)
        right += pair.then.cross(pair.moved)
      }
      guard normal.smallestEigenvalue > 1e-9, let inverse = normal.inverse else { return nil }
      rotation = inverse * right
    }
    guard rotation.isFinite else { return nil }
    (vector, information) = (rotation, 0.5 * normal)
  }

  /// Normalised square of the rotation: chi-squared with three degrees of freedom if the camera has not rotated.
  ///
  /// - Parameter noise: 1-sigma of a direction, radians.
  package func normalizedSquare(noise: Double) -> Double { information.form(vector, vector) / (noise * noise) }

  /// Bound on the rotation about any axis, radians: root of the squared estimate plus its largest variance.
  ///
  /// - Parameter noise: as above.
  package func bound(noise: Double) -> Double {
    (vector.squaredNorm + noise * noise / max(information.smallestEigenvalue, 1e-9)).squareRoot()
  }
}
