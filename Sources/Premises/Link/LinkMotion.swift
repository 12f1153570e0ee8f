import Foundation
import Geometry
import Ranging

/// Log likelihood of a link whose peer rests, walks, and rests again.
///
/// A Markov chain of two modes: at rest the velocity is zero, walking it is an Ornstein-Uhlenbeck process
/// (`PeerVelocityModel`). State `[x, v, g]`: the peer's position and velocity in the path's world, and the lasting
/// error g of `ResidualLikelihood`. Measurement `z = |x - p(t)| + b + g + w`, linearised at each prediction; the sum of
/// the innovations' log densities, over both modes, is the marginal likelihood, so that motion pays for itself. A path
/// that drifts explains ranges in the same way: relative to it the peer moves.
/// Source of the filter of two modes: Blom and Bar-Shalom, IEEE Transactions on Automatic Control 33(8), 1988,
/// doi:10.1109/9.1299.
package enum LinkMotion {
  /// Rates of setting off and of stopping, 1/s.
  private static let begin = 0.05, end = 0.2
  /// 1-sigma of the position that a fit of a stationary peer found, metres.
  private static let start = 0.5

  /// The best of the noises and of the starts.
  ///
  /// Cost: O(starts * noises * rows), a filter of seven states.
  package static func logLikelihood(
    _ rows: [LinkFit.Row], from modes: [Vector3], bias: Double, law: ResidualLaw = ResidualLaw()
  ) -> Double {
    var best = -Double.infinity
    for mode in modes {
      for noise in law.candidates { best = max(best, logLikelihood(rows, mode, bias, noise, law)) }
    }
    return best
  }

  private static func logLikelihood(
    _ rows: [LinkFit.Row], _ start: Vector3, _ bias: Double, _ noise: ResidualLaw.Noise, _ law: ResidualLaw
  ) -> Double {
    let lasting = noise.lasting * noise.lasting, white = noise.white * noise.white
    let resting = end / (begin + end), velocity = law.velocity
    var rest = Mode(position: start, sigma: Self.start, error: lasting)
    rest.weight = resting
    var walk = rest
    walk.setOff(velocity.speed)
    walk.weight = 1 - resting
    var sum = 0.0, last = rows.first?.seconds ?? 0
    for row in rows {
      let seconds = row.seconds - last
      last = row.seconds
      if seconds > 0 {
        // Transition matrix of the chain over the interval.
        let kept = exp(-(begin + end) * seconds)
        let setOff = (1 - resting) * (1 - kept), stop = resting * (1 - kept)
        var (starting, stopping) = (rest, walk)
        starting.setOff(velocity.speed)
        stopping.stop()
        (rest, walk) = (
          Mode(mixing: rest, rest.weight * (1 - setOff), stopping, walk.weight * stop),
          Mode(mixing: walk, walk.weight * (1 - stop), starting, rest.weight * setOff)
        )
        let decay = exp(-seconds / noise.time)
        rest.predict(nil, decay, lasting)
        walk.predict(velocity.step(seconds), decay, lasting)
      }
      let density = rest.update(row, bias, white, law) + walk.update(row, bias, white, law)
      sum += log(density)
      rest.weight /= density
      walk.weight /= density
    }
    return sum
  }

  /// A Gaussian of the seven states with its probability.
  private struct Mode {
    /// x, v, g, and nothing.
    var mean: SIMD8<Double>
    /// Rows of the covariance.
    var covariance: [SIMD8<Double>]
    var weight = 1.0

    init(position: Vector3, sigma: Double, error: Double) {
      mean = SIMD8(position.x, position.y, position.z, 0, 0, 0, 0, 0)
      covariance = (0..<7).map { k in
        var row = SIMD8<Double>.zero
        row[k] = k < 3 ? sigma * sigma : k == 6 ? error : 0
        return row
      }
    }

    /// The first two moments of a mixture of both.
    init(mixing a: Mode, _ first: Double, _ b: Mode, _ second: Double) {
      weight = first + second
      let share = weight > 0 ? first / weight : 1
      mean = share * a.mean + (1 - share) * b.mean
      covariance = a.covariance
      let (toA, toB) = (a.mean - mean, b.mean - mean)
      for k in 0..<7 {
        covariance[k] = share * (a.covariance[k] + toA[k] * toA) + (1 - share) * (b.covariance[k] + toB[k] * toB)
      }
    }

    /// The velocity is forgotten, and drawn again.
    mutating func setOff(_ speed: Vector3) {
      stop()
      for k in 0..<3 { covariance[3 + k][3 + k] = speed[k] * speed[k] }
    }

    /// The velocity is zero.
    mutating func stop() {
      for k in 0..<3 {
        mean[3 + k] = 0
        covariance[3 + k] = .zero
        for i in 0..<7 { covariance[i][3 + k] = 0 }
      }
    }

    /// `P' = F P F^T + Q`; without a step the velocity is zero.
    mutating func predict(_ step: PeerVelocityModel.Step?, _ decay: Double, _ lasting: Double) {
      if let step {
        for k in 0..<3 {
          mean[k] += step.reach * mean[3 + k]
          mean[3 + k] *= step.phi
          covariance[k] += step.reach * covariance[3 + k]
          covariance[3 + k] *= step.phi
        }
        for i in 0..<7 {
          for k in 0..<3 {
            covariance[i][k] += step.reach * covariance[i][3 + k]
            covariance[i][3 + k] *= step.phi
          }
        }
        for k in 0..<3 {
          covariance[k][k] += step.positionVariance[k]
          covariance[3 + k][3 + k] += step.velocityVariance[k]
          covariance[k][3 + k] += step.crossCovariance[k]
          covariance[3 + k][k] += step.crossCovariance[k]
        }
      }
      mean[6] *= decay
      covariance[6] *= decay
      for i in 0..<7 { covariance[i][6] *= decay }
      covariance[6][6] += lasting * (1 - decay * decay)
    }

    /// Takes a range in; its density under this mode times the mode's probability, which is the new weight.
    mutating func update(_ row: LinkFit.Row, _ bias: Double, _ white: Double, _ law: ResidualLaw) -> Double {
      let away = Vector3(mean[0], mean[1], mean[2]) - row.place, distance = max(away.norm, 1e-6)
      let jacobian = SIMD8(away.x / distance, away.y / distance, away.z / distance, 0, 0, 0, 1, 0)
      var towards = SIMD8<Double>.zero
      for k in 0..<7 { towards[k] = (covariance[k] * jacobian).sum() }
      let total = (towards * jacobian).sum() + white
      let innovation = row.range - distance - bias - mean[6]
      let (density, regular) = law.density(innovation, variance: total)
      let gain = regular / total
      mean += (gain * innovation) * towards
      for k in 0..<7 { covariance[k] -= (gain * towards[k]) * towards }
      weight *= density
      return weight
    }
  }
}
