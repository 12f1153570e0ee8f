import Foundation

/// How a track's pixels err: a Gauss-Markov process in each coordinate. With a correlation time of zero, white noise.
///
/// What a tracker finds again drifts over the scene with the view: errors of neighbouring frames are alike. Taken for white
/// noise, a hundred frames of it count as a hundred measurements where they are perhaps twenty.
package struct TrackNoise: Equatable, Sendable {
  /// 1-sigma in units of the noise that the calibration states, at least 1.
  package var level = 1.0
  /// Seconds after which the correlation is 1/e; 0: white.
  package var correlationTime = 0.0

  /// White noise as stated.
  package init() {}

  /// From its parts.
  package init(level: Double, correlationTime: Double) {
    self.level = level
    self.correlationTime = correlationTime
  }

  /// Correlation of two errors of one track, `seconds` apart.
  package func correlation(_ seconds: Double) -> Double {
    correlationTime > 0 ? exp(-abs(seconds) / correlationTime) : 0
  }

  /// Weights that make the errors of consecutive sights independent and of unit variance (in units of the stated noise):
  /// `row_k <- own_k row_k - before_k row_(k-1)`. The first has none before it.
  /// Source: Bryson, Henrikson, "Estimation using sampled data containing sequentially correlated noise", J. Spacecraft and
  /// Rockets 5(6), 1968, doi:10.2514/3.29327.
  package func whitening(_ times: [Double]) -> [(own: Double, before: Double)] {
    times.indices.map { k in k == 0 ? (1 / level, 0) : whitening(after: times[k] - times[k - 1]) }
  }

  /// The same for one sight, `seconds` after the one before.
  package func whitening(after seconds: Double) -> (own: Double, before: Double) {
    let c = min(correlation(seconds), 0.999)
    let own = 1 / (level * (1 - c * c).squareRoot())
    return (own, c * own)
  }

  /// Weight of a sight that cannot be compared with the one before it, `seconds` ago: white noise of the same density at low
  /// frequencies, so that what does not change is not learnt too fast.
  package func loneWeight(after seconds: Double) -> Double {
    let c = min(correlation(seconds), 0.999)
    return ((1 - c) / (1 + c)).squareRoot() / level
  }
}
