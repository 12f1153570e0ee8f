import Foundation
import Geometry

/// Where a still point can be seen after a known motion: the arc of directions `b - rho o`, `rho` from 0 (far away) to the
/// inverse of the least distance, of a point that was seen in direction b before the camera moved by o.
///
/// The epipolar constraint with its ends: a point that lies on the great circle but beyond an end would be behind the camera
/// or nearer than anything is. Hartley and Zisserman, "Multiple view geometry in computer vision", 2nd edition, 2004, 9.1.
package struct SightArc: Sendable {
  private let far, near: Vector3
  /// Unit normal of the plane of the arc; nil where it is shorter than a microradian.
  private let normal: Vector3?

  /// - Parameters:
  ///   - bearing: unit direction before the motion, in the axes of the camera now.
  ///   - offset: of the camera now from the one before, in the same axes, metres.
  ///   - nearest: least distance of a point from the camera before, metres.
  package init(bearing: Vector3, offset: Vector3, nearest: Double) {
    far = bearing
    let scaled = bearing - offset / nearest
    near = scaled.norm > 1e-6 ? scaled.normalized : -offset.normalized
    let cross = bearing.cross(-offset / nearest)
    normal = cross.norm > 1e-6 ? cross.normalized : nil
  }

  /// Angle, radians, between a unit direction and the nearest one on the arc.
  package func distance(to direction: Vector3) -> Double {
    guard let normal else { return min(Self.angle(direction, far), Self.angle(direction, near)) }
    // Within the ends: on the inner side of the planes through the normal and each end.
    if normal.dot(far.cross(direction)) >= 0, normal.dot(direction.cross(near)) >= 0 {
      return abs(asin(min(max(direction.dot(normal), -1), 1)))
    }
    return min(Self.angle(direction, far), Self.angle(direction, near))
  }

  private static func angle(_ a: Vector3, _ b: Vector3) -> Double { atan2(a.cross(b).norm, a.dot(b)) }
}
