import Foundation
import Geometry
import LeastSquares
import SensorData

/// The rotation between two views of tracked features, whatever the translation: the essential matrix, refined
/// robustly.
///
/// With unit directions a then and b now, `b . (t x R a) = 0` for every point of a rigid scene. Gauss-Newton over R and
/// the unit vector t minimises the distances to the epipolar planes, divided by their gradients (Sampson), under
/// Huber's weights; seven directions are tried for t. The covariance of the rotation is that of the five-parameter fit:
/// t is a nuisance. A translation along a wall looks like a rotation, and a plane has two solutions: minima that fit
/// nearly as well are kept (`others`).
/// Source: Hartley and Zisserman, "Multiple view geometry", 2003, 11.4.3 and 12.
package struct RelativeRotation {
  /// `Log(R)`: directions then to directions now, camera axes, radians.
  package var vector: Vector3
  /// Its covariance, rad^2.
  package var covariance: Matrix3
  /// Other minima that fit nearly as well, best first.
  package var others: [Other] = []
  /// Where points move from the camera's translation: unit vector, `b z' = R a z + t`, sign by positive depths.
  package var translation: Vector3
  /// How clearly depths are positive, 0 (no parallax) ... 1.
  package var parallax: Double
  /// Mean square of the normalised epipolar residual, outliers capped.
  package var cost: Double
  /// Number of common features.
  package var count: Int
  /// 1-sigma of the epipolar residual, radians: that of a direction, whatever the motion, outliers aside.
  ///
  /// `1.4826 median |r| sqrt(n / (n - 5))`, for n features and the five parameters of the fit.
  package var deviation: Double

  /// Another minimum: its rotation and covariance as above, rad and rad^2, and by how much its sum of squares exceeds
  /// the best's.
  package struct Other {
    package var vector: Vector3
    package var covariance: Matrix3
    package var excess: Double
  }

  /// Other minima are kept up to this excess: beyond, one is e^6 times less likely than the best.
  private static let plausible = 12.0
  /// Fewest common features.
  package static let fewest = 15
  private static let most = 40

  private static let starts: [Vector3] = [
    Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(1, 1, 1), Vector3(1, -1, 1), Vector3(1, 1, -1),
    Vector3(-1, 1, 1),
  ].map(\.normalized)

  /// The features that two frames share, at most forty, evenly taken.
  ///
  /// - Parameter features: sorted by id, each id once.
  package static func pairs(_ old: [FeatureObservation], _ new: [FeatureObservation]) -> [FeaturePair] {
    let pairs = FeaturePair.shared(old, new)
    return pairs.count <= most ? pairs : (0..<most).map { pairs[$0 * pairs.count / most] }
  }

  /// Of the features that two frames share; nil where there are too few or the fit fails.
  ///
  /// - Parameter noise: 1-sigma of a direction, radians.
  package init?(_ features: [FeaturePair], lens: LensModel, noise: Double) {
    let pairs: [(then: Vector3, now: Vector3)] = features.compactMap { pair in
      guard let then = lens.direction(ofPixel: pair.then), let now = lens.direction(ofPixel: pair.now) else {
        return nil
      }
      return (then.normalized, now.normalized)
    }
    guard pairs.count >= Self.fewest else { return nil }
    let fits = EpipolarDescent(pairs, noise: noise).ends(from: Self.starts)
    guard let best = fits.min(by: { $0.cost < $1.cost }), let covariance = best.rotationCovariance else { return nil }
    vector = best.rotation.log
    self.covariance = covariance
    cost = best.cost / Double(pairs.count - 5)
    count = pairs.count
    deviation = best.deviation * (Double(pairs.count) / Double(pairs.count - 5)).squareRoot()
    // Depths must be positive: `a z` and `b z'` with `z' b = z R a + t`.
    var sign = 0.0
    for pair in pairs {
      let turned = best.rotation * pair.then
      let normal = pair.now.cross(turned)
      let depth = -pair.now.cross(best.translation).dot(normal)
      sign += (depth > 0 ? 1 : -1) * min(normal.norm / (3 * noise), 1)
    }
    translation = sign < 0 ? -best.translation : best.translation
    parallax = abs(sign) / Double(pairs.count)
    guard vector.isFinite, translation.isFinite, cost.isFinite else { return nil }
    keepOthers(of: fits, best)
  }

  /// Keeps the minima that differ from the best and from each other by more than three standard deviations.
  private mutating func keepOthers(of fits: [EpipolarDescent.End], _ best: EpipolarDescent.End) {
    for fit in fits.sorted(by: { $0.cost < $1.cost }) where fit.cost - best.cost < Self.plausible {
      guard let covariance = fit.rotationCovariance else { continue }
      let vector = fit.rotation.log
      let isNew = ([self.vector] + others.map(\.vector)).allSatisfy {
        ($0 - vector).squaredNorm > 9 * covariance.trace / 3
      }
      if isNew, vector.isFinite {
        others.append(Other(vector: vector, covariance: covariance, excess: fit.cost - best.cost))
      }
    }
  }
}

/// Where one feature was in two frames, pixels.
package struct FeaturePair: Sendable {
  package var then: SIMD2<Double>
  package var now: SIMD2<Double>

  /// From the place in each frame.
  package init(then: SIMD2<Double>, now: SIMD2<Double>) { (self.then, self.now) = (then, now) }

  /// The features that two frames share; both sorted by id, each id once. O(n).
  package static func shared(_ old: [FeatureObservation], _ new: [FeatureObservation]) -> [FeaturePair] {
    var pairs: [FeaturePair] = []
    pairs.reserveCapacity(min(old.count, new.count))
    var i = 0
    for feature in new {
      while i < old.count, old[i].featureID < feature.featureID { i += 1 }
      guard i < old.count, old[i].featureID == feature.featureID else { continue }
      pairs.append(FeaturePair(then: SIMD2(old[i].u, old[i].v), now: SIMD2(feature.u, feature.v)))
    }
    return pairs
  }
}
