import Foundation

/// Weights of an angle of arrival (AoA) whose errors are correlated and share a constant bias.
///
/// The bias explains small errors of all angles of a link, but no large ones: whether the peer is ahead or behind is
/// observed again by each angle of a rotating device. So an angle is used in two parts: as a measurement of the variance
/// `R / measurement`, and by the likelihood of its residual beyond the bound of the bias.
package struct AoAWeight: Equatable, Sendable {
  /// Weight for the direction, as a fraction of an independent, unbiased angle, 0...1.
  package let measurement: Double
  /// Weight without the constant bias, `measurement...1`.
  package let unbiased: Double
  /// Errors up to this are explained by the bias, radians.
  package let biasBound: Double

  package init(measurement: Double, unbiased: Double, biasBound: Double) {
    (self.measurement, self.unbiased, self.biasBound) = (measurement, unbiased, biasBound)
  }

  /// No weight.
  package static let none = AoAWeight(measurement: 0, unbiased: 0, biasBound: 0)

  /// Log likelihood of a residual beyond the bound of the bias, to the power that `measurement` leaves; zero within the
  /// bound.
  ///
  /// - Parameters:
  ///   - innovation: residual of the cosine.
  ///   - spread: the components' prior variance of the cosine.
  ///   - noise: measurement variance of the cosine.
  ///   - slope: derivative of the cosine by the angle (`DirectionCosine.slope`).
  ///   - outlierProbability: prior probability of an outlier, whose cosine is uniform in -1...1.
  package func logLikelihoodBeyondBias(
    _ innovation: Lanes, spread: Lanes, noise: Lanes, slope: Lanes, outlierProbability: Lanes
  ) -> Lanes {
    guard unbiased > measurement else { return .zero }
    let over = (innovation.replacing(with: -innovation, where: innovation .< 0) - biasBound * slope).atLeast(0)
    let variance = spread + noise / unbiased
    // Density of an outlier over that of an inlier at its peak.
    let anywhere = 0.5 * outlierProbability * (2 * Double.pi * variance).squareRoot() / slope
    let ratio =
      ((1 - outlierProbability) * Lanes.exp(-0.5 * over * over / variance) + anywhere)
      / (1 - outlierProbability + anywhere)
    var logs = Lanes.zero
    for lane in 0..<4 where over[lane] > 0 { logs[lane] = log(max(ratio[lane], 1e-300)) }
    return (1 - measurement / unbiased) * logs
  }
}
