/// Weight of angles of arrival (AoA) that share a constant bias.
///
/// The angles of a link are `x + o + e_k`: the direction `x`, a constant bias `o` (mounting, phase calibration;
/// variance `s^2`), and independent errors `e_k` of variance `R_k`. Each angle is processed once, when it arrives. With
/// gains `g_k` the direction's error variance is `s^2 + V_k`, `V_k = (1 - g_k)^2 V_(k-1) + g_k^2 R_k`. A Kalman filter
/// that ignores the bias claims `(1 - g_k)` times the variance it claimed before. The two agree where
///
///     g_k = (V_(k-1) - s^2) / (V_(k-1) + R_k)
///
/// So angles have weight until their averaged error has the size of the bias: a direction from angles alone has the
/// standard deviation `s sqrt(2)`. The bias as a state would reach `s`, for two more numbers in each component. The
/// gain is applied as the variance `R_k / weight` of an independent angle. This holds beside ranges as well, because
/// they share none of these errors.
package struct AoABias: Sendable {
  /// Bound of the bias in its 1-sigmas.
  private static let boundInSigmas = 3.0

  private let biasVariance: Double
  /// `V_k`, radians^2.
  private var averagedVariance = Double.infinity

  /// - Parameter deviation: `s`, radians.
  package init(deviation: Double) { biasVariance = deviation * deviation }

  /// Process noise: motion of the peer across the line of sight, radians, 1-sigma.
  package mutating func move(by angle: Double) { averagedVariance += angle * angle }

  /// Processes an angle whose independent error has this variance, radians^2.
  ///
  /// - Returns: its weight as a fraction of an independent, unbiased angle, 0...1.
  package mutating func weight(of variance: Double) -> Double {
    guard variance > 0, variance.isFinite else { return 0 }
    guard averagedVariance.isFinite else {
      averagedVariance = variance
      return variance / (variance + biasVariance)
    }
    guard averagedVariance > biasVariance else { return 0 }
    let gain = (averagedVariance - biasVariance) / (averagedVariance + variance)
    let weight = variance * gain / ((averagedVariance + biasVariance) * (1 - gain))
    averagedVariance = (1 - gain) * (1 - gain) * averagedVariance + gain * gain * variance
    return min(weight, 1)
  }
}

extension AoABias {
  /// Weight of the cosines that arrive at one time, each of its own variance.
  ///
  /// - Parameter independence: weight left by the correlation with the previous angles, 0...1.
  package mutating func weight(of angles: [DirectionCosine], independence: Double) -> AoAWeight {
    guard independence > 0, !angles.isEmpty else { return .none }
    let mean = angles.reduce(0) { $0 + $1.variance } / Double(angles.count)
    return AoAWeight(
      measurement: independence * weight(of: mean / independence), unbiased: independence,
      biasBound: Self.boundInSigmas * biasVariance.squareRoot())
  }
}
