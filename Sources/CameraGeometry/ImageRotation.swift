import Geometry
import SensorData

/// How a picture as a whole turned between two frames: the rotation that best carries the directions of the features from where they
/// were to where they are.
///
/// The median distance that features move tells a slow turn only once it is larger than the noise of one of them; all together they
/// tell it to a fraction of that.
package struct ImageRotation: Equatable, Sendable {
  /// Rotation vector of the scene in the camera's axes, radians.
  package let vector: Vector3
  /// Inverse of its covariance for directions that each err by one radian (1-sigma) in each of the two frames.
  private let information: Matrix3

  /// Rounds in which what does not fit is left out, beginning with what moved by itself.
  private static let rounds = 3
  /// Where in multiples of the median a residual no longer fits: 3.5 sigma of noise.
  private static let outlying = 3.0

  /// Between frames that have enough in common; nil where they have not, or where all of it lies in one direction. O(n log n).
  ///
  /// With directions a then and b now, `b = a + theta x a`; least squares over the features. Source: the linear form of Wahba's problem for
  /// small angles, SIAM Review 7(3), 1965, doi:10.1137/1007077.
  ///
  /// - Parameter features: sorted by id, each id once.
  package init?(
    from old: [FeatureObservation], to new: [FeatureObservation], lens: LensModel, fewest: Int
  ) {
    var pairs: [(then: Vector3, moved: Vector3)] = []
    var i = 0
    for feature in new {
      while i < old.count, old[i].featureID < feature.featureID { i += 1 }
      guard i < old.count, old[i].featureID == feature.featureID,
        let then = lens.direction(ofPixel: SIMD2(old[i].u, old[i].v)),
        let now = lens.direction(ofPixel: SIMD2(feature.u, feature.v))
      else { continue }
      pairs.append((then, now - then))
    }
    var turn = Vector3.zero, normal = Matrix3.zero
    for _ in 0..<Self.rounds {
      let residuals = pairs.map { ($0.moved - turn.cross($0.then)).norm }
      var sorted = residuals
      guard pairs.count >= fewest, let median = Disparity.median(&sorted) else { return nil }
      var told = Vector3.zero
      normal = .zero
      for (pair, residual) in zip(pairs, residuals) where residual <= Self.outlying * median {
        normal += Matrix3.identity - Matrix3(outer: pair.then, pair.then)
        told += pair.then.cross(pair.moved)
      }
      guard normal.smallestEigenvalue > 1e-9, let inverse = normal.inverse else { return nil }
      turn = inverse * told
    }
    guard turn.isFinite else { return nil }
    (vector, information) = (turn, 0.5 * normal)
  }

  /// Normalised square of the turn: chi square with three degrees of freedom if nothing has turned.
  ///
  /// - Parameter noise: 1-sigma of a direction, radians.
  package func normalizedSquare(noise: Double) -> Double { information.form(vector, vector) / (noise * noise) }

  /// How far it may have turned about any axis, radians: what was seen of it, and the 1-sigma of that.
  ///
  /// - Parameter noise: as above.
  package func bound(noise: Double) -> Double {
    (vector.squaredNorm + noise * noise / max(information.smallestEigenvalue, 1e-9)).squareRoot()
  }
}
