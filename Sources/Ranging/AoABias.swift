/// What an array that is off for good leaves an angle of arrival worth.
///
/// The angles of a link are `x + o + e_k`: the direction `x`, an offset `o` that all of them share (how the array sits, how its phases were calibrated; variance
/// `s^2`) and errors of their own (`R_k`). Each is taken in once, when it comes, so what counts early cannot be weighed down later. With gains `g_k` the
/// direction errs by `s^2 + V_k`, `V_k = (1 - g_k)^2 V_(k-1) + g_k^2 R_k`, and a Kalman filter that knows of no offset claims `(1 - g_k)` of what it claimed before. The two are
/// the same where
///
///     g_k = (V_(k-1) - s^2) / (V_(k-1) + R_k)
///
/// so angles count until their own errors have averaged down to the offset's size, and no longer: a direction from angles alone errs by `s sqrt(2)`. The offset as
/// part of each hypothesis' state would get that down to `s`, for two numbers more in each of them. What an independent angle of the
/// variance `R_k / worth` does to such a filter is the same. That holds beside ranges as well, for they share none of these errors.
package struct AoABias: Sendable {
  /// Offsets are taken to be within so many of their 1-sigmas.
  private static let widest = 3.0

  private let offset: Double
  /// `V_k`, radians^2.
  private var own = Double.infinity

  /// - Parameter deviation: `s`, radians.
  package init(deviation: Double) { offset = deviation * deviation }

  /// Lets the peer move by so much across the line of sight, radians, 1-sigma.
  package mutating func move(by angle: Double) { own += angle * angle }

  /// Takes in an angle with an error of its own of this variance, radians^2: what share of an independent one without offset it is worth, 0...1.
  package mutating func worth(of variance: Double) -> Double {
    guard variance > 0, variance.isFinite else { return 0 }
    guard own.isFinite else {
      own = variance
      return variance / (variance + offset)
    }
    guard own > offset else { return 0 }
    let gain = (own - offset) / (own + variance)
    let worth = variance * gain / ((own + offset) * (1 - gain))
    own = (1 - gain) * (1 - gain) * own + gain * gain * variance
    return min(worth, 1)
  }
}

extension AoABias {
  /// What the angles that come at one moment count for, each of their own variance.
  ///
  /// - Parameter share: what their likeness to the ones before leaves of them, 0...1.
  package mutating func worth(of angles: [DirectionCosine], alike share: Double) -> AoAWeight {
    guard share > 0, !angles.isEmpty else { return .none }
    let mean = angles.reduce(0) { $0 + $1.variance } / Double(angles.count)
    return AoAWeight(told: share * worth(of: mean / share), own: share, excused: Self.widest * offset.squareRoot())
  }
}
