import Geometry

/// Spherical axes of four components in the world.
struct LaneFrame {
  /// The directions and their tangents.
  let u, e1, e2: LaneVector
  /// Metres from the anchor.
  let rho: Lanes

  /// Of a cell of a `GaussianSum`.
  @inline(__always)
  init(_ cell: UnsafePointer<Lanes>) {
    (u, e1) = (LaneVector(cell), LaneVector(cell + GaussianSum.tangentOffset))
    e2 = u.cross(e1)
    rho = cell[GaussianSum.scalarsOffset]
  }

  /// From (two tangent angles, distance) into the world, metres; `inward` is the inverse.
  @inline(__always)
  func outward(_ v: LaneVector) -> LaneVector { (rho * v.x) * e1 + (rho * v.y) * e2 + v.z * u }
  @inline(__always)
  func inward(_ v: LaneVector) -> LaneVector { LaneVector(v.dot(e1) / rho, v.dot(e2) / rho, v.dot(u)) }
}
