import Foundation
import Geometry

/// Four correspondences between two camera poses, and the angle of each from the directions that a static point can
/// have.
/// These form an arc: `b - rho o` for a point seen in direction b before the camera moved by o. `rho` runs from 0 (far
/// away) to the inverse of the least distance.
///
/// This is the epipolar constraint with its end points. A point on the great circle but beyond an end would be behind
/// the camera or nearer than the least distance.
/// Hartley and Zisserman, "Multiple view geometry in computer vision", 2nd edition, 2004, 9.1.
///
/// Many motions are tried on the same correspondences, so terms independent of o are precomputed. With
/// `q = o / nearest`, the end `b - q` and the normal `n = q x b`, every term is a product of q with b, d, `b x d` or
/// `b x (b x d)`.
/// Evaluation is four lanes wide and branch-free, because the noise makes branches unpredictable.
package struct EpipolarArcs: Sendable {
  /// Number of correspondences.
  package static let count = 4
  /// Four numbers, one per correspondence.
  package typealias Four = SIMD4<Double>

  /// Four vectors.
  private struct Vectors: Sendable {
    var x = Four.zero, y = Four.zero, z = Four.zero

    subscript(i: Int) -> Vector3 {
      get { Vector3(x[i], y[i], z[i]) }
      set { (x[i], y[i], z[i]) = (newValue.x, newValue.y, newValue.z) }
    }
    func dot(_ q: Vector3) -> Four { x * q.x + y * q.y + z * q.z }
  }

  private var before = Vectors(), after = Vectors(), cross = Vectors(), inward = Vectors()
  private var cosine = Four.zero
  /// Squared angle to the far end.
  private var toFar = Four.zero

  /// - Parameter correspondence: unit directions before and after of each of the four, in the axes of the camera now.
  package init(_ correspondence: (Int) -> (before: Vector3, after: Vector3)) {
    for i in 0..<Self.count {
      let (b, d) = correspondence(i)
      (before[i], after[i], cross[i]) = (b, d, b.cross(d))
      cosine[i] = b.dot(d)
      inward[i] = cosine[i] * b - d
      let angle = atan2(cross[i].norm, cosine[i])
      toFar[i] = angle * angle
    }
  }

  /// Squared angles, radians^2, between the directions after and the nearest ones on their arcs, saturated at `most`.
  ///
  /// - Parameter end: q, the offset of the camera now from the one before, over the least distance of a point from the
  ///   latter.
  package func squaredDistances(end q: Vector3, atMost most: Double) -> Four {
    let length = q.squaredNorm
    let b = before.dot(q), d = after.dot(q)
    let normal = length - b * b
    // Between the ends: on the inner side of the planes through the normal and each end.
    let first = inward.dot(q)
    let within = (normal .> 1e-12) .& (first .>= 0) .& (length * cosine - b * d .>= first)
    let height = cross.dot(q)
    // If the camera moved through the near end, the point appears in the direction the camera came from.
    let near = 1 - 2 * b + length
    let meets = near .<= 1e-12
    let along = (cosine - d).replacing(with: -d, where: meets)
    let squared = near.replacing(with: Four(repeating: max(length, 1e-12)), where: meets)

    let numerator = (squared - along * along).replacing(with: height * height, where: within)
    let denominator = squared.replacing(with: normal, where: within)
    let sine = numerator / denominator
    let sharp = within .| (along .> 0)
    var angle = Self.squaredAngle(
      squaredSine: sine.replacing(with: Four.zero, where: sine .< Four.zero), isSharp: sharp, atMost: most)
    angle.replace(with: toFar, where: .!within .& (toFar .< angle))
    return angle.replacing(with: Four(repeating: most), where: angle .> most)
  }

  /// Squared sine up to which the series below is exact to the last digit.
  private static let smallSine = 4e-3

  /// Squared angles; the obtuse one for lanes that are not `isSharp`.
  @inline(__always)
  private static func squaredAngle(squaredSine x: Four, isSharp: SIMDMask<SIMD4<Int64>>, atMost most: Double) -> Four {
    let third = 1.0 / 3, fourth = 8.0 / 45, fifth = 4.0 / 35, sixth = 128.0 / 1575, seventh = 128.0 / 2079
    var square = x * sixth + x * x * seventh + fifth
    square = x * square + fourth
    square = x * square + third
    square = x * (x * square + 1)
    let beyond = (x .> smallSine) .| .!isSharp
    guard any(beyond) else { return square }
    guard most > smallSine else { return square.replacing(with: Four(repeating: most), where: beyond) }
    for i in 0..<count where beyond[i] {
      let angle = asin(min(x[i], 1).squareRoot())
      square[i] = isSharp[i] ? angle * angle : (.pi - angle) * (.pi - angle)
    }
    return square
  }
}
