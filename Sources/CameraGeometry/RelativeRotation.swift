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
  private static let rounds = 8
  /// Fewest common features.
  package static let fewest = 15
  private static let most = 40
  /// Huber's threshold, in robust standard deviations.
  private static let threshold = 2.0

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
    let pairs: [(a: Vector3, b: Vector3)] = features.compactMap { pair in
      guard let then = lens.direction(ofPixel: pair.then), let now = lens.direction(ofPixel: pair.now) else {
        return nil
      }
      return (then.normalized, now.normalized)
    }
    guard pairs.count >= Self.fewest else { return nil }
    let fits = Self.starts.compactMap { Fit(pairs, start: $0, noise: noise) }
    guard let best = fits.min(by: { $0.cost < $1.cost }), let covariance = best.rotationCovariance else { return nil }
    vector = best.rotation.log
    self.covariance = covariance
    cost = best.cost / Double(pairs.count - 5)
    count = pairs.count
    deviation = best.deviation * (Double(pairs.count) / Double(pairs.count - 5)).squareRoot()
    // Depths must be positive: `a z` and `b z'` with `z' b = z R a + t`.
    var sign = 0.0
    for pair in pairs {
      let turned = best.rotation * pair.a
      let normal = pair.b.cross(turned)
      let depth = -pair.b.cross(best.translation).dot(normal)
      sign += (depth > 0 ? 1 : -1) * min(normal.norm / (3 * noise), 1)
    }
    translation = sign < 0 ? -best.translation : best.translation
    parallax = abs(sign) / Double(pairs.count)
    guard vector.isFinite, translation.isFinite, cost.isFinite else { return nil }
    keepOthers(of: fits, best)
  }

  /// Keeps the minima that differ from the best and from each other by more than three standard deviations.
  private mutating func keepOthers(of fits: [Fit], _ best: Fit) {
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

  /// One descent.
  private struct Fit {
    var rotation = Rotation.identity
    var translation: Vector3
    var cost = Double.infinity
    /// Robust 1-sigma of the residuals.
    var deviation = 0.0
    /// Of rotation (3) and translation in its tangent plane (2), row-major.
    private var normal = [Double](repeating: 0, count: 25)

    init?(_ pairs: [(a: Vector3, b: Vector3)], start: Vector3, noise: Double) {
      translation = start
      var residuals = [Double](repeating: 0, count: pairs.count)
      var rows = [(rotation: Vector3, u: Double, v: Double)](repeating: (.zero, 0, 0), count: pairs.count)
      for _ in 0..<RelativeRotation.rounds {
        let (e1, e2) = translation.tangentBasis
        for (k, pair) in pairs.enumerated() {
          let turned = rotation * pair.a
          let plane = translation.cross(turned)
          let across = pair.b.cross(translation)
          let gradient = max(
            (plane.cross(pair.b).squaredNorm + across.cross(turned).squaredNorm).squareRoot(), 1e-6)
          let byTranslation = turned.cross(pair.b)
          residuals[k] = pair.b.dot(plane) / gradient
          rows[k] = (
            turned.cross(across) / gradient, byTranslation.dot(e1) / gradient, byTranslation.dot(e2) / gradient
          )
        }
        let scale = max(noise, residuals.robustDeviation() ?? noise)
        let loss = HuberLoss(threshold: RelativeRotation.threshold * scale)
        var right = [Double](repeating: 0, count: 5)
        normal = [Double](repeating: 0, count: 25)
        for (row, residual) in zip(rows, residuals) {
          let weight = 1 / (loss.varianceFactor(residual) * scale * scale)
          let h = [row.rotation.x, row.rotation.y, row.rotation.z, row.u, row.v]
          for r in 0..<5 {
            right[r] -= weight * h[r] * residual
            for c in 0...r { normal[5 * r + c] += weight * h[r] * h[c] }
          }
        }
        // A little of a prior: without translation its direction is open.
        for r in 0..<5 { normal[6 * r] += r < 3 ? 1e-6 : 1e-2 }
        guard let step = SmallCholesky.solve(normal, right, size: 5) else { return nil }
        rotation = Rotation.exp(Vector3(step[0], step[1], step[2])) * rotation
        translation = (translation + e1 * step[3] + e2 * step[4]).normalized
        if step.reduce(0, { $0 + $1 * $1 }) < 1e-14 { break }
      }
      deviation = residuals.robustDeviation() ?? 0
      cost = residuals.reduce(0) { $0 + min($1 * $1 / (noise * noise), 16) }
      guard cost.isFinite, translation.isFinite else { return nil }
    }

    /// Covariance of the rotation, the translation marginalised.
    var rotationCovariance: Matrix3? {
      var columns: [Vector3] = []
      for k in 0..<3 {
        var unit = [Double](repeating: 0, count: 5)
        unit[k] = 1
        guard let x = SmallCholesky.solve(normal, unit, size: 5) else { return nil }
        columns.append(Vector3(x[0], x[1], x[2]))
      }
      return Matrix3(columns: columns[0], columns[1], columns[2])
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
