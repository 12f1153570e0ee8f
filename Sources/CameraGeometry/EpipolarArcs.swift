import Foundation
import Geometry

/// Four sights of points before and after a motion, and how far each is from what a still point can look like: from the arc
/// of directions `b - rho o`, `rho` from 0 (far away) to the inverse of the least distance, of a point that was seen in
/// direction b before the camera moved by o.
///
/// The epipolar constraint with its ends: a point that lies on the great circle but beyond an end would be behind the camera
/// or nearer than anything is. Hartley and Zisserman, "Multiple view geometry in computer vision", 2nd edition, 2004, 9.1.
///
/// Many motions are tried on the same sights, so what does not depend on o is kept. With `q = o / nearest`, the end
/// `b - q` and the normal `n = q x b`, everything is made of products of q with b, d, `b x d` and `b x (b x d)`. Four at a
/// time, without branches: which side of an end noise puts a point is nothing that a processor could guess.
package struct EpipolarArcs: Sendable {
  /// Number of sights.
  package static let count = 4
  /// Four numbers, one a sight.
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
  /// Squared angle to the end that is far away.
  private var toFar = Four.zero

  /// - Parameter sight: the unit directions before and after of each of the four, in the axes of the camera now.
  package init(_ sight: (Int) -> (before: Vector3, after: Vector3)) {
    for i in 0..<Self.count {
      let (b, d) = sight(i)
      (before[i], after[i], cross[i]) = (b, d, b.cross(d))
      cosine[i] = b.dot(d)
      inward[i] = cosine[i] * b - d
      let angle = atan2(cross[i].norm, cosine[i])
      toFar[i] = angle * angle
    }
  }

  /// Squared angles, radians^2, between the directions after and the nearest ones on their arcs; what is more than `most` is
  /// told as that.
  ///
  /// - Parameter end: q, the offset of the camera now from the one before over the least distance of a point from the latter.
  package func squaredDistances(end q: Vector3, atMost most: Double) -> Four {
    let length = q.squaredNorm
    let b = before.dot(q), d = after.dot(q)
    let normal = length - b * b
    // Within the ends: on the inner side of the planes through the normal and each end.
    let first = inward.dot(q)
    let within = (normal .> 1e-12) .& (first .>= 0) .& (length * cosine - b * d .>= first)
    let height = cross.dot(q)
    // Where the camera went through the near end, it is seen in the direction that the camera came from.
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

  /// Squares of angles, of those that are not `isSharp` the obtuse one.
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
