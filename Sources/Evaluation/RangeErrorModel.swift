import Geometry

/// Error model of the ranges of one link, and the prior of the peer's elevation.
///
/// `z = |t - p| + b + a + n`: constant bias b, Gauss-Markov bias a, white noise n. All parameters but `memory` are
/// 1-sigma.
package struct RangeErrorModel: Equatable, Sendable {
  /// White noise, metres; at least 0.1 mm, so that no information is infinite.
  package let white: Double
  /// Stationary Gauss-Markov bias, metres.
  package let coloured: Double
  /// Correlation time of that bias, seconds.
  package let memory: Double
  /// Prior of the constant bias, metres, about 0.
  package let constant: Double
  /// Prior of the elevation, radians: the density over the solid angle falls as `exp(-elevation^2 / (2 sigma^2))`.
  package let elevationPrior: Double

  /// A model from its parameters; negative ones count as 0.
  package init(
    white: Double, coloured: Double = 0, memory: Double = 1, constant: Double = 0.15,
    elevationPrior: Double = Angle.degrees(35)
  ) {
    self.white = max(white, 1e-4)
    self.coloured = max(coloured, 0)
    self.memory = max(memory, 1e-6)
    self.constant = max(constant, 0)
    self.elevationPrior = max(elevationPrior, 1e-3)
  }

  /// 1-sigma of one range about the true distance, the constant bias included, metres.
  package var total: Double { (white * white + coloured * coloured + constant * constant).squareRoot() }
}
