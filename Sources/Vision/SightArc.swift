import Foundation
import Geometry

/// A sight of a point before and after a motion, and how far it is from what a still point can look like: from the arc of
/// directions `b - rho o`, `rho` from 0 (far away) to the inverse of the least distance, of a point that was seen in
/// direction b before the camera moved by o.
///
/// The epipolar constraint with its ends: a point that lies on the great circle but beyond an end would be behind the camera
/// or nearer than anything is. Hartley and Zisserman, "Multiple view geometry in computer vision", 2nd edition, 2004, 9.1.
///
/// Many motions are tried on the same sight, so what does not depend on o is kept. With `q = o / nearest`, the end
/// `b - q` and the normal `n = q x b`, everything is made of products of q with b, d, `b x d` and `b x (b x d)`.
package struct SightArc: Sendable {
  /// b and d, and `b x d`, which the epipolar constraint `o . (b x d) = 0` needs too.
  private let before, after: Vector3
  package let cross: Vector3
  /// `b x (b x d)`.
  private let inward: Vector3
  private let cosine: Double
  /// Squared angle to the end that is far away.
  private let toFar: Double

  /// - Parameters: unit directions before and after, in the axes of the camera now.
  package init(before: Vector3, after: Vector3) {
    self.before = before
    self.after = after
    cross = before.cross(after)
    cosine = before.dot(after)
    inward = cosine * before - after
    toFar = Self.squaredAngle(squaredSine: cross.squaredNorm, cosine: cosine)
  }

  /// Squared angle, radians^2, between the direction after and the nearest one on the arc.
  ///
  /// - Parameter end: q, the offset of the camera now from the one before over the least distance of a point from the latter.
  package func squaredDistance(end q: Vector3) -> Double {
    let length = q.squaredNorm, (b, d) = (before.dot(q), after.dot(q))
    let normal = length - b * b
    if normal > 1e-12 {
      // Within the ends: on the inner side of the planes through the normal and each end.
      let first = inward.dot(q)
      if first >= 0, length * cosine - b * d >= first {
        let height = cross.dot(q)
        return Self.squaredAngle(squaredSine: height * height / normal, cosine: 1)
      }
    }
    return min(toFar, toNear(length, b, d))
  }

  private func toNear(_ length: Double, _ b: Double, _ d: Double) -> Double {
    let near = 1 - 2 * b + length
    // The end is where the camera went: the limit is the direction it came from.
    let (along, squared) = near > 1e-12 ? (cosine - d, near) : (-d, length)
    guard squared > 0 else { return toFar }
    return Self.squaredAngle(squaredSine: max(1 - along * along / squared, 0), cosine: along)
  }

  /// The square of the angle, by its series where that is exact to the last digit.
  private static func squaredAngle(squaredSine x: Double, cosine: Double) -> Double {
    if x < 1e-4, cosine > 0 { return x * (1 + x * (1.0 / 3 + x * (8.0 / 45 + x * (4.0 / 35)))) }
    let sharp = asin(min(x, 1).squareRoot())
    let angle = cosine > 0 ? sharp : .pi - sharp
    return angle * angle
  }
}
