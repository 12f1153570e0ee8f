import Foundation
import Geometry
import Inertial

/// Prior of an accelerometer's bias: either that of a unit calibrated axis by axis or that of a phone,
///
///     p(b) = a N(b; 0, s_n^2 I) + (1 - a) N(b; 0, s_w^2 I).
///
/// A start is found under the wide part alone. What it learnt of the bias, `N(m, P)`, weighs the parts by the ratio of their marginal
/// likelihoods: with `R = 1 / (1 / s_n^2 - 1 / s_w^2)` and `S = P + R I`,
///
///     ln B = 3 ln(s_w / s_n) + 3/2 ln R - 1/2 ln |S| - 1/2 m^T S^-1 m,
///
/// zero where nothing was learnt. The narrow part's posterior is the Kalman update of the wide one's by `0 = b + v`, `v ~ N(0, R I)`; the start
/// gets mean and covariance of both together.
/// Source: marginal likelihood and moments of a Gaussian mixture, Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking
/// and Navigation", Wiley 2001, sections 1.4.16 and 11.6.
package struct AccelerometerBiasPrior: Equatable, Sendable {
  /// 1-sigma of the narrow part, m/s^2.
  package var narrow: Double
  /// 1-sigma of the wide part, m/s^2.
  package var wide: Double
  /// `a`, 0...1.
  package var narrowProbability: Double

  /// From its parts.
  package init(narrow: Double, wide: Double, narrowProbability: Double) {
    (self.narrow, self.wide, self.narrowProbability) = (narrow, wide, narrowProbability)
  }

  /// A unit's own.
  package init(_ grade: SensorGrade) {
    self.init(
      narrow: grade.narrowAccelerometerBias, wide: grade.accelerometerBias,
      narrowProbability: grade.narrowBiasProbability)
  }

  /// Mean and covariance of the mixture's posterior, and the narrow part's probability in it.
  ///
  /// - Parameters:
  ///   - state: estimated under the wide part alone.
  ///   - covariance: of (theta, p, v, b_g, b_a), 15 x 15, row-major.
  /// - Returns: nil where nothing changes, or the covariance is none.
  package func posterior(_ state: InertialState, _ covariance: [Double]) -> (
    state: InertialState, covariance: [Double], narrowProbability: Double
  )? {
    guard narrowProbability > 0, narrow < wide else { return nil }
    let n = InertialState.errorSize, first = 12
    let noise = 1 / (1 / (narrow * narrow) - 1 / (wide * wide))
    let m = state.accelerometerBias
    let sum = Matrix3(
      rows: Vector3(covariance[first * n + first] + noise, covariance[first * n + 13], covariance[first * n + 14]),
      Vector3(covariance[13 * n + first], covariance[13 * n + 13] + noise, covariance[13 * n + 14]),
      Vector3(covariance[14 * n + first], covariance[14 * n + 13], covariance[14 * n + 14] + noise))
    let determinant = sum.determinant
    guard determinant > 0, let inverse = sum.inverse else { return nil }
    let evidence =
      3 * log(wide / narrow) + 1.5 * log(noise) - 0.5 * log(determinant) - 0.5 * m.dot(inverse * m)
    let odds = log(narrowProbability / (1 - narrowProbability)) + evidence
    let probability = 1 / (1 + exp(-odds))

    // Gain K = P_xb S^-1, 15 x 3.
    let gain = (0..<n).map { i in
      inverse * Vector3(covariance[i * n + first], covariance[i * n + 13], covariance[i * n + 14])
    }
    let correction = gain.map { -$0.dot(m) }
    var result = covariance
    for i in 0..<n {
      let weighed = sum * gain[i]
      for j in 0..<n {
        result[i * n + j] +=
          probability * ((1 - probability) * correction[i] * correction[j] - weighed.dot(gain[j]))
      }
    }
    return (state.plus(correction.map { probability * $0 }), result, probability)
  }
}
