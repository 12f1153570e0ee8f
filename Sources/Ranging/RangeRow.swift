import Geometry

/// The range as a function of a hypothesis' place, `r = |c + rho u - p|`, and its derivatives; four hypotheses side by side.
///
/// With `q = (c + rho u - p) / r`: `dr/dalpha_i = rho q.e_i`, `dr/drho = q.u`, and along a tangent
/// `d2r/dalpha_i^2 = (rho^2 - (rho q.e_i)^2) / r - rho q.u`.
struct RangeRow {
  /// Metres.
  let distance: Lanes
  /// Metres per radian along the two tangents, and per metre along the ray.
  let alpha1, alpha2, rho: Lanes
  /// Second derivatives along the two tangents, metres per square radian.
  let bend1, bend2: Lanes

  @inline(__always)
  init(_ u: LaneVector, _ e1: LaneVector, rho length: Lanes, anchor: Vector3, antenna: Vector3) {
    let d = LaneVector(repeating: anchor - antenna) + length * u
    distance = d.dot(d).squareRoot().atLeast(1e-6)
    let q = (1 / distance) * d
    alpha1 = length * q.dot(e1)
    alpha2 = length * q.dot(u.cross(e1))
    rho = q.dot(u)
    bend1 = (length * length - alpha1 * alpha1) / distance - length * rho
    bend2 = (length * length - alpha2 * alpha2) / distance - length * rho
  }

  /// Half of the second derivatives times the tangents' variances: how far the range bends over a hypothesis, metres.
  @inline(__always)
  func bends(_ covariance: UnsafePointer<Lanes>) -> (Lanes, Lanes) {
    let (b1, b2) = (0.5 * bend1 * covariance[0], 0.5 * bend2 * covariance[2])
    return (b1.replacing(with: -b1, where: b1 .< 0), b2.replacing(with: -b2, where: b2 .< 0))
  }
}
