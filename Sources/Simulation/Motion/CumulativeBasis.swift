import Geometry

/// The three moving weights of a uniform cubic cumulative B-spline and their time derivatives.
///
/// A spline value on segment i is `x_i + sum_j w_j(u) (x_{i+j} - x_{i+j-1})`, j = 1...3, u in [0, 1); on a group the
/// differences are logarithms. Source: Sommer, Usenko, Schubert, Demmel, Cremers, "Efficient derivative computation
/// for cumulative B-splines on Lie groups", CVPR 2020, arXiv:1911.08860, section 3.
struct CumulativeBasis {
  /// The weights w_1, w_2, w_3.
  let value: Vector3
  /// Their first derivatives, 1/s.
  let rate: Vector3
  /// Their second derivatives, 1/s^2.
  let acceleration: Vector3

  /// The weights at fraction `u` of a segment that lasts `spacing` seconds.
  init(u: Double, spacing: Double) {
    let u2 = u * u
    let u3 = u2 * u
    value = Vector3(5 + 3 * u - 3 * u2 + u3, 1 + 3 * u + 3 * u2 - 2 * u3, u3) / 6
    rate = Vector3(3 - 6 * u + 3 * u2, 3 + 6 * u - 6 * u2, 3 * u2) / (6 * spacing)
    acceleration = Vector3(u - 1, 1 - 2 * u, u) / (spacing * spacing)
  }
}
