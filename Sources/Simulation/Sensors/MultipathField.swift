import Foundation
import Geometry

/// A range error that is a function of the antenna's place: reflections shift the first path by an amount that stays while
/// the antenna does.
///
/// A stationary Gaussian field with the covariance `s^2 exp(-|x - y|^2 / (2 l^2))`, by random Fourier features,
/// `e(x) = s sqrt(2 / n) sum_k cos(w_k . x + p_k)`, `w_k ~ N(0, I / l^2)`, `p_k` uniform. Source: Rahimi and Recht, "Random features for
/// large-scale kernel machines", NIPS 2007.
struct MultipathField {
  private static let count = 64

  private let scale: Double
  private let waves: [(number: Vector3, phase: Double)]

  /// - Parameters:
  ///   - deviation: s, metres.
  ///   - length: l, metres.
  init(deviation: Double, length: Double, _ random: inout SeededRandom) {
    scale = deviation * (2 / Double(Self.count)).squareRoot()
    var waves: [(number: Vector3, phase: Double)] = []
    for _ in 0..<Self.count { waves.append((random.gaussian3() / length, random.uniform(0...(2 * .pi)))) }
    self.waves = waves
  }

  /// The error at a place, world axes; metres.
  func error(at place: Vector3) -> Double {
    guard scale > 0 else { return 0 }
    return scale * waves.reduce(0) { $0 + cos($1.number.dot(place) + $1.phase) }
  }
}
