import Foundation
import Geometry

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

/// Estimates a recording's track noise from the residuals of its points: the likelihood of each candidate correlation
/// time over all tracks so far, with the point's three coordinates and the common variance eliminated.
///
/// Restricted likelihood: Patterson, Thompson, "Recovery of inter-block information when block sizes are unequal",
/// Biometrika 58(3), 1971, doi:10.1093/biomet/58.3.545.
/// Poses are taken as exact: errors common to all tracks of a frame are small beside those of a single track.
package struct TrackNoiseLearner: Sendable {
  /// Candidate correlation times, seconds; white noise first.
  static let candidates = [0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6]
  /// Fewest observations of a track that distinguish the candidates.
  package static let fewestObservations = 5
  /// Fewest degrees of freedom before the stated noise is replaced.
  private static let fewestNumbers = 300.0
  /// Log likelihood ratio over white noise that another candidate needs.
  private static let leastLogLikelihoodRatio = 10.0
  /// Largest admissible error of an observation, in units of the stated noise; beyond it the track has slipped.
  private static let slipped = 5.0
  /// Forgetting factor per added track: a memory of some two thousand tracks.
  private static let forgettingFactor = 0.9995

  /// Residuals of a track about its point.
  package struct Sample: Equatable, Sendable {
    /// Residuals of its n observations, two numbers each, in units of the stated noise.
    package var residual: [Double]
    /// Their Jacobian with respect to the point, 2n x 3, row-major.
    package var point: [Double]
    /// Times of the observations, seconds, ascending.
    package var times: [Double]

    /// A sample from its parts.
    package init(residual: [Double], point: [Double], times: [Double]) {
      self.residual = residual
      self.point = point
      self.times = times
    }
  }

  private var numbers = 0.0
  private var squares = [Double](repeating: 0, count: candidates.count)
  private var volumes = [Double](repeating: 0, count: candidates.count)

  /// No tracks added.
  package init() {}

  /// The current estimate.
  package var noise: TrackNoise {
    guard numbers >= Self.fewestNumbers else { return TrackNoise() }
    let likelihoods = Self.candidates.indices.map { k in
      -0.5 * numbers * log(max(squares[k] / numbers, 1e-12)) - volumes[k]
    }
    var best = 0
    for k in likelihoods.indices.dropFirst() where likelihoods[k] > likelihoods[best] { best = k }
    if likelihoods[best] < likelihoods[0] + Self.leastLogLikelihoodRatio { best = 0 }
    let level = max((squares[best] / numbers).squareRoot(), 1)
    return TrackNoise(level: level, correlationTime: Self.candidates[best])
  }

  /// Adds a track; one that is short or has slipped is ignored.
  package mutating func add(_ sample: Sample) {
    let n = sample.times.count
    guard n >= Self.fewestObservations, sample.residual.allSatisfy({ abs($0) < Self.slipped }),
      sample.point.allSatisfy(\.isFinite)
    else { return }
    let likelihoodTerms = Self.candidates.map { candidate in
      Self.likelihoodTerms(sample, TrackNoise(level: 1, correlationTime: candidate).whitening(sample.times))
    }
    guard likelihoodTerms.allSatisfy({ $0 != nil }) else { return }
    numbers = Self.forgettingFactor * numbers + Double(2 * n - 3)
    for (k, terms) in likelihoodTerms.enumerated() {
      squares[k] = Self.forgettingFactor * squares[k] + terms!.square
      volumes[k] = Self.forgettingFactor * volumes[k] + terms!.volume
    }
  }

  /// The sum of squares left after eliminating the point, and half the log determinants.
  private static func likelihoodTerms(_ sample: Sample, _ weights: [(own: Double, before: Double)]) -> (
    square: Double, volume: Double
  )? {
    var matrix = Matrix3.zero, vector = Vector3.zero, square = 0.0, volume = 0.0
    for (k, weight) in weights.enumerated() {
      for axis in 0..<2 {
        func row(_ k: Int) -> (Vector3, Double) {
          let i = 2 * k + axis
          let f = Vector3(sample.point[3 * i], sample.point[3 * i + 1], sample.point[3 * i + 2])
          return (f, sample.residual[i])
        }
        var (f, r) = row(k)
        (f, r) = (weight.own * f, weight.own * r)
        if k > 0 {
          let (old, was) = row(k - 1)
          f -= weight.before * old
          r -= weight.before * was
        }
        matrix += Matrix3(outer: f, f)
        vector += r * f
        square += r * r
        volume -= log(weight.own)
      }
    }
    // An unobservable distance must not make the matrix singular.
    matrix += Matrix3(diagonal: Vector3(repeating: 1e-9 * matrix.trace))
    guard let inverse = matrix.inverse else { return nil }
    square -= vector.dot(inverse * vector)
    let determinant = matrix.determinant
    guard square.isFinite, square > 0, determinant > 0 else { return nil }
    return (square, volume + 0.5 * log(determinant))
  }
}
