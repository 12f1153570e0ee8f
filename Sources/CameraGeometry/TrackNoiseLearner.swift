import Foundation
import Geometry

/// Learns how a recording's tracks err from what their points leave unexplained: the likelihood of every candidate
/// correlation time over all tracks seen so far, the point's three numbers and the common variance taken out.
///
/// Restricted likelihood: Patterson, Thompson, "Recovery of inter-block information when block sizes are unequal",
/// Biometrika 58(3), 1971, doi:10.1093/biomet/58.3.545. Poses are taken as exact: errors that all tracks of a frame share
/// are small beside a single track's.
package struct TrackNoiseLearner: Sendable {
  /// Correlation times that are tried, seconds; white noise first.
  static let candidates = [0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6]
  /// Fewest sights of a track that tell one candidate from another.
  package static let fewestObservations = 5
  /// Numbers that must have been seen before anything is believed.
  static let fewestNumbers = 300.0
  /// How much likelier than white noise another candidate must be, natural logarithm.
  static let evidence = 10.0
  /// Largest error of a sight that counts, in units of the stated noise: beyond it, a track has slipped.
  static let slipped = 5.0
  /// Share of the past that stays when a track is added: some two thousand tracks.
  static let memory = 0.9995

  /// A track's errors about its point.
  package struct Sample: Equatable, Sendable {
    /// Of its n sights, two numbers each, in units of the stated noise.
    package var residual: [Double]
    /// Their Jacobian by the point, 2n x 3, row-major.
    package var point: [Double]
    /// When they were taken, seconds, ascending.
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

  /// Nothing seen.
  package init() {}

  /// What is believed now.
  package var noise: TrackNoise {
    guard numbers >= Self.fewestNumbers else { return TrackNoise() }
    let likelihoods = Self.candidates.indices.map { k in
      -0.5 * numbers * log(max(squares[k] / numbers, 1e-12)) - volumes[k]
    }
    var best = 0
    for k in likelihoods.indices.dropFirst() where likelihoods[k] > likelihoods[best] { best = k }
    if likelihoods[best] < likelihoods[0] + Self.evidence { best = 0 }
    let level = max((squares[best] / numbers).squareRoot(), 1)
    return TrackNoise(level: level, correlationTime: Self.candidates[best])
  }

  /// Takes a track; one that is short or has slipped tells nothing.
  package mutating func add(_ sample: Sample) {
    let n = sample.times.count
    guard n >= Self.fewestObservations, sample.residual.allSatisfy({ abs($0) < Self.slipped }),
      sample.point.allSatisfy(\.isFinite)
    else { return }
    let told = Self.candidates.map { candidate in
      Self.told(sample, TrackNoise(level: 1, correlationTime: candidate).whitening(sample.times))
    }
    guard told.allSatisfy({ $0 != nil }) else { return }
    numbers = Self.memory * numbers + Double(2 * n - 3)
    for (k, part) in told.enumerated() {
      squares[k] = Self.memory * squares[k] + part!.square
      volumes[k] = Self.memory * volumes[k] + part!.volume
    }
  }

  /// The sum of squares that the point leaves, and half the logarithm of the determinants.
  private static func told(_ sample: Sample, _ weights: [(own: Double, before: Double)]) -> (
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
    // A distance that the sights leave open must not make the matrix singular.
    matrix += Matrix3(diagonal: Vector3(repeating: 1e-9 * matrix.trace))
    guard let inverse = matrix.inverse else { return nil }
    square -= vector.dot(inverse * vector)
    let determinant = matrix.determinant
    guard square.isFinite, square > 0, determinant > 0 else { return nil }
    return (square, volume + 0.5 * log(determinant))
  }
}
