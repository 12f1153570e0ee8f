/// Confines a point's inverse distance to a plausible range: not nearer than 20 cm, and not far behind the camera.
///
/// The cost is zero inside the range: weak priors of many points would add up and bias the scale. Without the barrier
/// the inverse distance of tracks without parallax is free. Each step of the poses changes it by much, good steps are
/// refused, and the scale does not converge to that of the IMU.
package enum InverseDistanceBarrier {
  /// Range without cost, 1/m. Noise makes inverse distances of far points slightly negative; truncation at 0 is biased.
  package static let range = -0.5...5.0
  /// 1-sigma outside the range, 1/m.
  package static let sigma = 0.5

  /// Residual outside the range, in sigmas, and its derivative by the inverse distance.
  package static func residual(_ inverseDistance: Double) -> (value: Double, slope: Double) {
    let beyond = inverseDistance - min(max(inverseDistance, range.lowerBound), range.upperBound)
    return beyond == 0 ? (0, 0) : (beyond / sigma, 1 / sigma)
  }

  /// Half the squared residual.
  package static func cost(_ inverseDistance: Double) -> Double {
    let value = residual(inverseDistance).value
    return 0.5 * value * value
  }
}
