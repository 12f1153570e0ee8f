import Geometry

/// The range as a function of a hypothesis' place, `r = |c + rho u - p|`, and its derivatives.
///
/// With `q = (c + rho u - p) / r`: `dr/dalpha_i = rho q.e_i`, `dr/drho = q.u`, and along a tangent
/// `d2r/dalpha_i^2 = (rho^2 - (rho q.e_i)^2) / r - rho q.u`.
struct RangeRow {
  /// Metres.
  let distance: Double
  /// Metres per radian along the two tangents, and per metre along the ray.
  let alpha1, alpha2, rho: Double
  /// Second derivatives along the two tangents, metres per square radian.
  let bend1, bend2: Double

  @inline(__always)
  init(_ u: Vector3, _ e1: Vector3, rho length: Double, anchor: Vector3, antenna: Vector3) {
    let d = anchor + length * u - antenna
    distance = max(d.norm, 1e-6)
    let q = d / distance
    alpha1 = length * q.dot(e1)
    alpha2 = length * q.dot(u.cross(e1))
    rho = q.dot(u)
    bend1 = (length * length - alpha1 * alpha1) / distance - length * rho
    bend2 = (length * length - alpha2 * alpha2) / distance - length * rho
  }
}
