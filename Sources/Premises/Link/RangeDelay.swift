import Geometry
import LeastSquares
import SensorData

/// How late ranges look beside a fit of their link: one Gauss-Newton step of place, bias and delay together.
///
/// With `r_i = z_i - |x - p(t_i)| - b` and the range's rate `v_i` along the path, `r_i = j_i . dx + db - v_i tau`. White noise is assumed: the
/// delay proposes alternatives, it judges none.
package enum RangeDelay {
  /// Places so much earlier give the rate, seconds.
  package static let step = 0.1

  /// Seconds by which ranges are older than they were taken for; nil where the path does not say.
  ///
  /// - Parameters:
  ///   - rows: as they were fitted.
  ///   - earlier: the same with places `step` seconds before, after where that is below zero.
  package static func estimate(_ rows: [LinkFit.Row], _ fit: LinkFit, earlier: [LinkFit.Row], step: Double) -> Double? {
    guard let peer = fit.modes.first, fit.regular.count == rows.count, earlier.count == rows.count else { return nil }
    var normal = [Double](repeating: 0, count: 25), right = [Double](repeating: 0, count: 5)
    for k in 0..<5 { normal[k * 5 + k] = 1e-9 }
    for (i, row) in rows.enumerated() {
      let away = peer - row.place, distance = max(away.norm, 1e-6)
      let rate = (distance - (peer - earlier[i].place).norm) / step
      let column = [away.x / distance, away.y / distance, away.z / distance, 1, -rate]
      let residual = row.range - distance - fit.bias
      for a in 0..<5 {
        right[a] += fit.regular[i] * column[a] * residual
        for b in 0..<5 { normal[a * 5 + b] += fit.regular[i] * column[a] * column[b] }
      }
    }
    guard let delay = SmallCholesky.solve(normal, right, size: 5)?[4], delay.isFinite else { return nil }
    return delay
  }
}
