import Foundation
import Geometry

/// Log likelihood of a link whose path drifts, so that the peer wanders relative to it.
///
/// State `[x, g]`: the peer's position in the path's world, a random walk of `q` metres per root second, and the
/// lasting error g of `ResidualLikelihood`. Measurement `z = |x - p(t)| + b + g + w`, linearised at each prediction
/// (extended Kalman filter); the sum of the innovations' log densities is the marginal likelihood, so that the walk's
/// freedom pays for itself. Source of both steps: Bar-Shalom, Li, Kirubarajan, Estimation with Applications to Tracking
/// and Navigation, Wiley 2001, sections 5.2 and 10.3.
package enum LinkDrift {
  /// Walks that are tried, metres per root second: a tracker's drift, a strong drift.
  package static let walks = [0.05, 0.2]
  /// 1-sigma of the position that a fit of a stationary peer found, metres.
  private static let start = 0.3

  /// The best of the walks and of the noises, `log(walks)` paid.
  ///
  /// Cost: O(walks * noises * rows).
  package static func logLikelihood(
    _ rows: [LinkFit.Row], from mode: Vector3, bias: Double, law: ResidualLaw = ResidualLaw()
  ) -> Double {
    var best = -Double.infinity
    for walk in walks {
      for noise in law.candidates {
        best = max(best, logLikelihood(rows, mode, bias, noise, law, walk * walk))
      }
    }
    return best - log(Double(walks.count))
  }

  private static func logLikelihood(
    _ rows: [LinkFit.Row], _ mode: Vector3, _ bias: Double, _ noise: ResidualLaw.Noise, _ law: ResidualLaw,
    _ density: Double
  ) -> Double {
    let lasting = noise.lasting * noise.lasting, white = noise.white * noise.white
    var (peer, error, sum) = (mode, 0.0, 0.0)
    var position = Matrix3(diagonal: Vector3(1, 1, 1) * (start * start))
    // Covariance of the position with the error, and the error's variance.
    var (cross, variance, last) = (Vector3.zero, lasting, rows.first?.seconds ?? 0)
    for row in rows {
      let seconds = row.seconds - last, decay = exp(-seconds / noise.time)
      last = row.seconds
      for k in 0..<3 { position[k, k] += density * seconds }
      cross = cross * decay
      variance = decay * decay * variance + lasting * (1 - decay * decay)
      error *= decay
      let away = peer - row.place, distance = max(away.norm, 1e-6), direction = away / distance
      let spread = position * direction
      let total = spread.dot(direction) + 2 * cross.dot(direction) + variance + white
      let innovation = row.range - distance - bias - error
      let (density, regular) = law.density(innovation, variance: total)
      sum += log(density)
      let towards = spread + cross, own = cross.dot(direction) + variance
      let gain = regular / total
      peer += towards * (gain * innovation)
      error += own * gain * innovation
      for i in 0..<3 { for j in 0..<3 { position[i, j] -= gain * towards[i] * towards[j] } }
      cross = cross - towards * (gain * own)
      variance -= gain * own * own
    }
    return sum
  }
}
