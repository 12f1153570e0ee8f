import Foundation

/// Pixel noise of a track: a first-order Gauss-Markov process in each coordinate; white with a correlation time of
/// zero.
///
/// A tracked patch drifts over the scene with the viewpoint, so errors of neighbouring frames are correlated. Treated
/// as white, a hundred frames would count as a hundred measurements where they carry perhaps twenty.
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

  /// Weights that whiten the errors of consecutive observations to unit variance, in units of the stated noise:
  /// `row_k <- own_k row_k - before_k row_(k-1)`. The first has none before it.
  /// Source: Bryson, Henrikson, "Estimation using sampled data containing sequentially correlated noise", J. Spacecraft
  /// and Rockets 5(6), 1968, doi:10.2514/3.29327.
  package func whitening(_ times: [Double]) -> [(own: Double, before: Double)] {
    times.indices.map { k in k == 0 ? (1 / level, 0) : whitening(after: times[k] - times[k - 1]) }
  }

  /// The same for one observation, `seconds` after the previous one.
  package func whitening(after seconds: Double) -> (own: Double, before: Double) {
    let c = min(correlation(seconds), 0.999)
    let own = 1 / (level * (1 - c * c).squareRoot())
    return (own, c * own)
  }

  /// Weight of an observation that cannot be differenced with the previous one, `seconds` ago. It is white noise of
  /// equal low-frequency density, so constants are not learnt too fast.
  package func loneWeight(after seconds: Double) -> Double {
    let c = min(correlation(seconds), 0.999)
    return ((1 - c) / (1 + c)).squareRoot() / level
  }
}
