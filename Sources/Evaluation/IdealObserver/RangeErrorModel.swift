import Foundation
import Geometry
import LeastSquares
import SensorData

/// Error model of the ranges of one link, and the prior of the peer's height.
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
  /// Prior of the peer's height above the antenna at the first range.
  package let heights: HeightPrior
  /// Error bound to the pose; nil: none.
  package let field: PoseField?
  /// Error of the direction in the device; nil: none.
  package let pattern: Pattern?

  /// A model from its parameters; negative ones count as 0.
  package init(
    white: Double, coloured: Double = 0, memory: Double = 1, constant: Double = 0.15,
    heights: HeightPrior = .indoors, field: PoseField? = nil, pattern: Pattern? = nil
  ) {
    self.white = max(white, 1e-4)
    self.coloured = max(coloured, 0)
    self.memory = max(memory, 1e-6)
    self.constant = max(constant, 0)
    self.heights = heights
    self.field = field.flatMap { $0.deviation > 0 && $0.length > 0 ? $0 : nil }
    self.pattern = pattern.flatMap { $0.deviation > 0 ? $0 : nil }
  }

  /// 1-sigma of one range about the true distance, the constant bias included, metres.
  package var total: Double {
    let bound = [field?.deviation ?? 0, pattern?.deviation ?? 0].reduce(0) { $0 + $1 * $1 }
    return (white * white + coloured * coloured + constant * constant + bound).squareRoot()
  }

  // Fits the error model of a real link to its true range errors, for the ideal observer.

  /// A range is impaired (NLOS or outlier) when its error differs from the link's median by more than this many
  /// 1-sigmas.
  private static let impairedSigmas = 4.0
  /// Errors are clipped at this many 1-sigmas before their products are taken.
  private static let clippedSigmas = 3.0
  /// Fewest unimpaired ranges for a fit.
  private static let fewest = 30

  /// Which ranges are NLOS or outliers, by definition: their true error (metres) differs from the link's median by more
  /// than four 1-sigmas. The 1-sigma is 1.4826 times the median absolute deviation of the link's errors.
  ///
  /// The observer leaves these out. No real filter can identify them all: this is part of what makes it ideal.
  package static func impaired(_ errors: [Double]) -> [Bool] {
    guard let (level, sigma) = robustSize(errors) else { return errors.map { _ in false } }
    return errors.map { abs($0 - level) > impairedSigmas * sigma }
  }

  /// Standard deviations and correlation time of the errors (metres) of ranges at `times` (seconds, in order), without
  /// impaired ones.
  ///
  /// The total 1-sigma is 1.4826 times the median absolute deviation. It is split by the autocorrelation r of the
  /// clipped residuals at lags up to 10 s: least squares of `r(lag) = A exp(-lag / memory)`, weighted by the number of
  /// pairs. The coloured variance is A of the total. White noise is at least a tenth of the total.
  ///
  /// - Returns: nil for fewer than 30 unimpaired ranges or errors of zero spread.
  package static func fitted(
    errors: [Double], times: [Double], constant: Double = 0.15
  ) -> RangeErrorModel? {
    precondition(errors.count == times.count, "errors and times come in pairs")
    let unimpaired = zip(zip(errors, times), impaired(errors)).filter { !$1 }.map(\.0)
    guard unimpaired.count >= fewest, let (level, sigma) = robustSize(unimpaired.map(\.0)), sigma > 0 else {
      return nil
    }
    let clip = clippedSigmas * sigma
    let residuals = unimpaired.map { min(max($0.0 - level, -clip), clip) }
    let (fraction, memory) = correlation(of: residuals, at: unimpaired.map(\.1))
    let white = max((1 - fraction).squareRoot(), 0.1) * sigma
    return RangeErrorModel(
      white: white, coloured: max(sigma * sigma - white * white, 0).squareRoot(), memory: memory, constant: constant)
  }

  /// Median and 1.4826 times the median absolute deviation; nil without finite errors.
  private static func robustSize(_ errors: [Double]) -> (level: Double, sigma: Double)? {
    guard errors.allSatisfy(\.isFinite), let level = errors.median, let sigma = errors.robustDeviation(about: level)
    else { return nil }
    return (level, sigma)
  }

  /// Coloured fraction of the variance, 0...1, and its correlation time, seconds.
  private static func correlation(of residuals: [Double], at times: [Double]) -> (fraction: Double, memory: Double) {
    guard let spacing = zip(times, times.dropFirst()).map({ $1 - $0 }).filter({ $0 > 0 }).median else { return (0, 1) }
    let variance = residuals.reduce(0) { $0 + $1 * $1 } / Double(residuals.count)
    let longest = min(10, 0.25 * (times[times.count - 1] - times[0]))
    var points: [(lag: Double, value: Double, pairs: Double)] = []
    for steps in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96] where Double(steps) * spacing <= longest {
      let lag = Double(steps) * spacing
      var (sum, pairs, j) = (0.0, 0.0, 0)
      for i in residuals.indices {
        while j < residuals.count, times[j] < times[i] + lag - 0.5 * spacing { j += 1 }
        guard j < residuals.count, times[j] <= times[i] + lag + 0.5 * spacing else { continue }
        sum += residuals[i] * residuals[j]
        pairs += 1
      }
      if pairs > 0 { points.append((lag, sum / pairs / variance, pairs)) }
    }
    var best = (fraction: 0.0, memory: 1.0, cost: points.reduce(0) { $0 + $1.pairs * $1.value * $1.value })
    // Steps of a tenth of an octave, up to a thousand spacings.
    for k in 0...100 {
      let memory = spacing * pow(2, 0.1 * Double(k))
      var (xy, xx) = (0.0, 0.0)
      for point in points {
        let x = exp(-point.lag / memory)
        xy += point.pairs * x * point.value
        xx += point.pairs * x * x
      }
      let fraction = xx > 0 ? min(max(xy / xx, 0), 1) : 0
      let cost = points.reduce(0.0) {
        let residual = $1.value - fraction * exp(-$1.lag / memory)
        return $0 + $1.pairs * residual * residual
      }
      if cost < best.cost { best = (fraction, memory, cost) }
    }
    return (best.fraction, best.memory)
  }
}

/// Where a range was taken, and how the device was held: what its errors may be bound to.
package struct RangingPose: Equatable, Sendable {
  /// Antenna position, world, metres.
  package var antenna: Vector3
  /// Attitude of the device.
  package var worldFromDevice: Rotation
  /// Id of the antenna, which has a pattern of its own; nil: the only one.
  package var antennaID: String?

  /// A pose from its parts.
  package init(antenna: Vector3, worldFromDevice: Rotation = .identity, antennaID: String? = nil) {
    self.antenna = antenna
    self.worldFromDevice = worldFromDevice
    self.antennaID = antennaID
  }

  /// Unit vector to a place (world, metres) in device axes.
  package func direction(to place: Vector3) -> Vector3 {
    (worldFromDevice.inverse * (place - antenna)).normalized
  }
}

extension RangeErrorModel {
  /// Covariance of the errors of two ranges that are bound to their poses, square metres, for a peer at `peer` (world,
  /// metres).
  package func boundCovariance(_ a: RangingPose, _ b: RangingPose, peer: Vector3) -> Double {
    (field?.covariance(a, b) ?? 0) + (pattern?.covariance(a, b, peer: peer) ?? 0)
  }
}

extension RangeErrorModel.PoseField {
  /// `s^2 exp(-|x - x'|^2 / (2 l^2)) exp(-(1 - cos(R, R')) / a^2)`, square metres.
  fileprivate func covariance(_ a: RangingPose, _ b: RangingPose) -> Double {
    var exponent = -(a.antenna - b.antenna).squaredNorm / (2 * length * length)
    if let angle {
      let half = a.worldFromDevice.w * b.worldFromDevice.w + a.worldFromDevice.v.dot(b.worldFromDevice.v)
      exponent -= 2 * max(1 - half * half, 0) / (angle * angle)
    }
    return deviation * deviation * exp(exponent)
  }
}

extension RangeErrorModel.Pattern {
  /// Square metres; none between two antennas.
  fileprivate func covariance(_ a: RangingPose, _ b: RangingPose, peer: Vector3) -> Double {
    guard a.antennaID == b.antennaID else { return 0 }
    let cosine = min(max(a.direction(to: peer).dot(b.direction(to: peer)), -1), 1)
    // Legendre's polynomials by Bonnet's recursion.
    var (before, value, sum) = (1.0, cosine, cosine)
    for l in stride(from: 1.0, to: Double(degree), by: 1) {
      (before, value) = (value, ((2 * l + 1) * cosine * value - l * before) / (l + 1))
      sum += value
    }
    return deviation * deviation * sum / Double(degree)
  }
}
