import Foundation
import Geometry
import SensorData

/// One component of an angle of arrival (AoA): the direction cosine between the line-of-sight vector and one axis of
/// the array, `c = a . d / |d|`.
///
/// The phase difference of two antenna elements measures this cosine. A planar array in the plane of the screen
/// measures the cosines to its x and y axes only: a peer behind it and its reflection image in front give the same
/// values. A linear array gives a cone. As cosines neither needs a special case, and no angle has to be wrapped.
///
/// An azimuth `alpha = atan2(x, -z)` without an elevation constrains the peer to two half-planes, one ahead and its
/// reflection image behind: `x cos(alpha) - |z| sin(alpha) = 0`. This is a cosine of zero to an axis that differs
/// between the front and the back of the array (`foldedAxis`). The arcsine of the cosine to the x axis equals the
/// azimuth only for peers level with the array. Source: Dotlic et al., "Angle of arrival estimation using Decawave
/// DW1000 integrated circuits", WPNC 2017, doi:10.1109/WPNC.2017.8250079.
package struct DirectionCosine: Equatable, Sendable {
  /// The axis `a` in the estimate's world, a unit vector.
  package var axis: Vector3
  /// The measured cosine, -1...1.
  package var cosine: Double
  /// Its variance.
  package var variance: Double
  /// A second axis, world. It is added to `axis` on the side of `boresight` and subtracted on the other; zero except
  /// for an azimuth alone.
  package var foldedAxis = Vector3.zero
  /// The array's viewing direction, a unit vector in the world; zero where nothing is folded.
  package var boresight = Vector3.zero

  /// The rotation axis of an azimuth alone, a unit vector in the world; zero where nothing is folded.
  package var rotationAxis = Vector3.zero

  package init(axis: Vector3, cosine: Double, variance: Double) {
    self.axis = axis
    self.cosine = cosine
    self.variance = variance
  }

  /// The axis for a peer at `d` from the array, metres.
  package func axis(towards d: Vector3) -> Vector3 { boresight.dot(d) < 0 ? axis - foldedAxis : axis + foldedAxis }

  /// Derivative of the cosine by the angle for a peer at `d`: cos(elevation) for an azimuth alone, 1 otherwise. The
  /// variance of the cosine is scaled by its square, so that the likelihood is that of the angle. Otherwise positions
  /// near the pole would fit any azimuth best.
  package func slope(towards d: Vector3) -> Double {
    let sine = rotationAxis.dot(d) / max(d.norm, 1e-6)
    return max(1 - sine * sine, Self.leastSquaredSlope).squareRoot()
  }

  /// Lower bound of the squared slope: close to the pole an azimuth carries no information.
  static let leastSquaredSlope = 0.01

  /// Measurement model: `c` for a peer at `d` from the array, metres, and its gradient `dc/dd` (1x3), 1/m.
  package func model(_ d: Vector3) -> (cosine: Double, gradient: Vector3) {
    let r = max(d.norm, 1e-6)
    let u = d / r
    let axis = axis(towards: d)
    let c = axis.dot(u)
    return (c, (axis - c * u) / r)
  }

  /// Whether the cosine observes the vertical: its axis is inclined by more than the 20 degrees of a hand-held device.
  package var observesHeight: Bool { max(abs((axis + foldedAxis).z), abs((axis - foldedAxis).z)) > sin(.pi / 9) }

  /// The cosines equivalent to measured angles of arrival. Empty without angles, or outside the cone in which the array
  /// is used.
  ///
  /// - Parameters:
  ///   - azimuth, elevation: `atan2(u.x, -u.z)` and `asin(u.y)` in device axes, radians.
  ///   - deviation: 1-sigma of the angles, radians.
  ///   - cone: largest angle off the array's axis, radians.
  ///   - worldFromDevice: rotation from device axes into the world.
  package static func measured(
    azimuth: Double?, elevation: Double?, deviation: Double, cone: Double, worldFromDevice: Rotation
  ) -> [DirectionCosine] {
    let (a, e) = (azimuth ?? 0, elevation ?? 0)
    guard azimuth != nil || elevation != nil, cos(a) * cos(e) >= cos(cone) else { return [] }
    let variance = deviation * deviation
    func square(_ x: Double) -> Double { x * x }
    var cosines: [DirectionCosine] = []
    if azimuth != nil, elevation == nil {
      var half = DirectionCosine(axis: cos(a) * (worldFromDevice * Vector3(1, 0, 0)), cosine: 0, variance: variance)
      half.boresight = worldFromDevice * Vector3(0, 0, -1)
      half.foldedAxis = -sin(a) * half.boresight
      half.rotationAxis = worldFromDevice * Vector3(0, 1, 0)
      cosines.append(half)
    } else if azimuth != nil {
      cosines.append(
        DirectionCosine(
          axis: worldFromDevice * Vector3(1, 0, 0), cosine: sin(a) * cos(e),
          variance: variance * (square(cos(a) * cos(e)) + square(sin(a) * sin(e)))))
    }
    if elevation != nil {
      cosines.append(
        DirectionCosine(axis: worldFromDevice * Vector3(0, 1, 0), cosine: sin(e), variance: variance * square(cos(e))))
    }
    return cosines
  }
}

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

/// Correlation time of the angle-of-arrival (AoA) errors of a link, estimated from the angles themselves.
///
/// Two successive errors of 1-sigma s and correlation rho differ by `2 s^2 (1 - rho)` in the mean square. The measured
/// `1 - rho` is averaged with the prior, which has the weight of `priorPairs` pairs. n angles with successive
/// correlation rho have the weight of `n (1 - rho) / (1 + rho)` independent ones. Source: Bayley and Hammersley, JRSS
/// Supplement 8, 1946, doi:10.2307/2983560.
package struct AoAErrorCorrelation: Sendable {
  private static let priorPairs = 20.0
  /// Pairs farther apart carry no information, in correlation times.
  private static let longestGap = 2.0

  private let assumed: Double
  private var last: (time: Timestamp, errors: [Double])?
  /// Sums over successive pairs, without the prior: measured `1 - rho`, seconds between them, number of pairs.
  private var change, seconds, pairs: Double

  /// - Parameter assumed: prior correlation time, seconds.
  package init(assumed: Double) {
    self.assumed = assumed
    (change, seconds, pairs) = (0, 0, 0)
  }

  /// Processes the residuals of the cosines at `time`, in 1-sigmas.
  package mutating func record(_ errors: [Double], at time: Timestamp) {
    defer { last = (time, errors) }
    guard let last, last.errors.count == errors.count, !errors.isEmpty else { return }
    let gap = time.seconds(since: last.time)
    guard gap > 0, gap < Self.longestGap * assumed else { return }
    let square = zip(errors, last.errors).reduce(0.0) { $0 + min(($1.0 - $1.1) * ($1.0 - $1.1), 16) }
    change += 0.5 * square / Double(errors.count)
    seconds += gap
    pairs += 1
  }

  /// Weight of an angle `gap` seconds after the previous one, as a fraction of an independent one, 0...1.
  package func weight(after gap: Double) -> Double {
    guard gap > 0 else { return 0 }
    let typical = pairs > 0 ? seconds / pairs : gap
    let expected = 1 - Self.correlation(typical, assumed)
    let measured = (change + Self.priorPairs * expected) / (pairs + Self.priorPairs)
    // Gauss-Markov: the correlation at the usual gap, scaled to this gap.
    let rho = pow(min(max(1 - measured, 0), 1), gap / typical)
    return (1 - rho) / (1 + rho)
  }

  /// The correlation at which angles `gap` apart have the weight `gap / correlationTime`.
  private static func correlation(_ gap: Double, _ correlationTime: Double) -> Double {
    let weight = min(gap / correlationTime, 1)
    return (1 - weight) / (1 + weight)
  }
}

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
