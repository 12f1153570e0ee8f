import Geometry

/// Error model of the ranges of one link, and the prior of the peer's elevation.
///
/// `z = |t - p| + b + a + f + g + n`: constant bias b, Gauss-Markov bias a, field f, antenna pattern g, white noise n. All
/// parameters but lengths, times and degrees are 1-sigma.
package struct RangeErrorModel: Equatable, Sendable {
  /// An error that is bound to the pose: a Gaussian field of the antenna's place and the device's attitude.
  package struct PoseField: Equatable, Sendable {
    /// Metres.
    package var deviation: Double
    /// Distance of two places, metres, and angle between two attitudes, radians, at which it correlates by e^(-1/2);
    /// angle nil: the attitude does not matter.
    package var length: Double
    package var angle: Double?

    /// A field from its parts.
    package init(deviation: Double, length: Double, angle: Double? = nil) {
      (self.deviation, self.length, self.angle) = (deviation, length, angle)
    }
  }

  /// An error that is a smooth function of the peer's direction in the device, the same for all peers: Gaussian, with the
  /// correlation `sum_(l = 1...L) P_l(cos) / L` over the angle between two directions.
  package struct Pattern: Equatable, Sendable {
    /// Metres.
    package var deviation: Double
    /// L, at least 1.
    package var degree: Int

    /// A pattern from its parts.
    package init(deviation: Double, degree: Int) { (self.deviation, self.degree) = (deviation, max(degree, 1)) }
  }

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
  /// Error bound to the pose; nil: none.
  package let field: PoseField?
  /// Error of the direction in the device; nil: none.
  package let pattern: Pattern?

  /// A model from its parameters; negative ones count as 0.
  package init(
    white: Double, coloured: Double = 0, memory: Double = 1, constant: Double = 0.15,
    elevationPrior: Double = Angle.degrees(35), field: PoseField? = nil, pattern: Pattern? = nil
  ) {
    self.white = max(white, 1e-4)
    self.coloured = max(coloured, 0)
    self.memory = max(memory, 1e-6)
    self.constant = max(constant, 0)
    self.elevationPrior = max(elevationPrior, 1e-3)
    self.field = field.flatMap { $0.deviation > 0 && $0.length > 0 ? $0 : nil }
    self.pattern = pattern.flatMap { $0.deviation > 0 ? $0 : nil }
  }

  /// 1-sigma of one range about the true distance, the constant bias included, metres.
  package var total: Double {
    let bound = [field?.deviation ?? 0, pattern?.deviation ?? 0].reduce(0) { $0 + $1 * $1 }
    return (white * white + coloured * coloured + constant * constant + bound).squareRoot()
  }
}
