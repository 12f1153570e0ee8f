import Foundation
import Geometry

/// The rigid transform between two sets of points with the least squared distance, in closed form.
package enum RigidAlignment {
  /// All six degrees of freedom, no scale: `truth ~ T * estimate`. Nil without points, or when one is not finite.
  ///
  /// The rotation is the principal eigenvector of Horn's 4x4 matrix, so that it is a rotation even for points on a
  /// plane or a line. Source: Horn, "Closed-form solution of absolute orientation using unit quaternions",
  /// J. Opt. Soc. Am. A 4(4), 1987, doi:10.1364/JOSAA.4.000629.
  package static func full(estimate: [Vector3], truth: [Vector3]) -> Pose? {
    guard let (from, to) = centroids(estimate, truth) else { return nil }
    var s = Matrix3.zero
    for (a, b) in zip(estimate, truth) { s += Matrix3(outer: a - from, b - to) }
    let n: [[Double]] = [
      [s.trace, s[1, 2] - s[2, 1], s[2, 0] - s[0, 2], s[0, 1] - s[1, 0]],
      [s[1, 2] - s[2, 1], s[0, 0] - s[1, 1] - s[2, 2], s[0, 1] + s[1, 0], s[2, 0] + s[0, 2]],
      [s[2, 0] - s[0, 2], s[0, 1] + s[1, 0], s[1, 1] - s[0, 0] - s[2, 2], s[1, 2] + s[2, 1]],
      [s[0, 1] - s[1, 0], s[2, 0] + s[0, 2], s[1, 2] + s[2, 1], s[2, 2] - s[0, 0] - s[1, 1]],
    ]
    let q = SymmetricEigen.principalVector(of: n)
    let rotation = Rotation(w: q[0], x: q[1], y: q[2], z: q[3])
    return Pose(rotation: rotation, translation: to - rotation * from)
  }

  /// Yaw and translation only: the unobservable directions of a gravity-aligned estimator.
  ///
  /// The cost is a cosine in the yaw, so its minimum is one `atan2`. Source: Zhang and Scaramuzza, "A tutorial on
  /// quantitative trajectory evaluation for visual(-inertial) odometry", IROS 2018, doi:10.1109/IROS.2018.8593941.
  package static func yawAndTranslation(estimate: [Vector3], truth: [Vector3]) -> Pose? {
    guard let (from, to) = centroids(estimate, truth) else { return nil }
    var cosine = 0.0
    var sine = 0.0
    for (a, b) in zip(estimate, truth) {
      let (x, y) = (a - from, b - to)
      cosine += x.x * y.x + x.y * y.y
      sine += x.x * y.y - x.y * y.x
    }
    let rotation = cosine == 0 && sine == 0 ? Rotation.identity : Rotation.yaw(atan2(sine, cosine))
    return Pose(rotation: rotation, translation: to - rotation * from)
  }

  private static func centroids(_ estimate: [Vector3], _ truth: [Vector3]) -> (Vector3, Vector3)? {
    precondition(estimate.count == truth.count, "points come in pairs")
    guard !estimate.isEmpty, estimate.allSatisfy(\.isFinite), truth.allSatisfy(\.isFinite) else { return nil }
    let scale = 1 / Double(estimate.count)
    return (estimate.reduce(.zero, +) * scale, truth.reduce(.zero, +) * scale)
  }
}
