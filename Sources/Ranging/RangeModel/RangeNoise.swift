import Foundation

/// Noise of the ranges of one link: white noise plus a Gauss-Markov bias of each antenna.
///
/// Real radios have coloured noise: a filter that assumes white noise misses a third to two thirds of its "90 %"
/// intervals on them. The coloured part is multipath and antenna pattern. Its effect is largest where its correlation
/// time is that of the hand's motion. Its size is unknown and cannot be estimated beside the state like the white part,
/// so there are candidates for it. Trials: docs/experiments/correlation-time.md.
package struct RangeNoise: Equatable, Sendable {
  /// Lower bound of the white 1-sigma, metres: no measured radio has less.
  private static let least = 0.02
  /// Upper bound of the white 1-sigma, metres.
  private static let largest = 0.4
  /// Bounds of the initial white 1-sigma, metres, whatever is stated. Too small a start is worse: the scatter then
  /// passes for the coloured part and for outliers, which carry no information on it. A larger upper bound gains
  /// nothing: a link learns upwards fast.
  private static let first = 0.06...0.16
  /// White 1-sigma at which an error of the place is half as probable as with none, metres: what a radio errs in all is
  /// known better than how that is shared, and ranges that scatter by a decimetre leave less to the place.
  private static let quiet = 0.03
  /// From so many ranges on, the value is fixed.
  static let certain = 1e9

  /// 1-sigma of the white part, metres.
  package private(set) var white: Double
  /// Degrees of freedom of the white part, in ranges; infinite: fixed.
  package private(set) var degrees: Double
  /// Stationary 1-sigma of the coloured part, metres.
  package let coloured: Double
  /// Correlation time of the coloured part while the device is stationary, seconds.
  package let correlationTime: Double
  /// Distance over which the coloured part decorrelates, metres.
  package let correlationLength: Double
  /// What the coloured part depends on.
  package enum Law: Sendable {
    /// It changes with the time, and slowly with the device's path.
    case time
    /// It is bound to the device's pose: it outlasts a rest, and repeats where the device comes back (`PoseHistory`).
    case pose
    /// It is a smooth function of the antenna's place (`VisitedPlaces`).
    case place
  }
  /// What the coloured part depends on.
  package let law: Law
  /// Whether the coloured part is a smooth function of the place.
  package var isOfPlace: Bool { law == .place }

  package init(
    white: Double, degrees: Double = .infinity, coloured: Double, correlationTime: Double, correlationLength: Double,
    law: Law = .time
  ) {
    self.white = white
    self.degrees = degrees < Self.certain ? degrees : .infinity
    self.coloured = coloured
    self.correlationTime = correlationTime
    self.correlationLength = correlationLength
    self.law = law
  }

  /// A candidate for the coloured part, with the white part that is left of `total`, metres, with the weight of
  /// `degrees` ranges; from 1e9 on it is fixed.
  init(
    total: Double, degrees: Double, coloured: Double, correlationTime: Double, correlationLength: Double,
    law: Law
  ) {
    let rest = max(total * total - coloured * coloured, 0).squareRoot()
    let isGiven = degrees >= Self.certain
    self.init(
      white: isGiven ? max(rest, 1e-4) : min(max(rest, Self.first.lowerBound), Self.first.upperBound),
      degrees: degrees, coloured: coloured, correlationTime: correlationTime, correlationLength: correlationLength,
      law: law)
  }

  /// White variance of a visit's mean, in units of the coloured part's.
  private static let visitVariance = 0.25

  /// Variance that is added to an error of the pose where the device comes back after m visits, m^2.
  ///
  /// The mean of m visits has the variance `s^2 + k s^2 / m`, k being `visitVariance`. So the next one, taken for independent, must have the variance
  /// `s^2 (m + 1 + k)(m + k) / k` for both to have that of m + 1 visits.
  package func renewal(after visits: Double) -> Double {
    guard law == .pose, visits > 0 else { return 0 }
    let k = Self.visitVariance
    return coloured * coloured * ((visits + 1 + k) * (visits + k) / k - 1 - k)
  }

  /// 1-sigma of both parts together, metres.
  package var total: Double { (white * white + coloured * coloured).squareRoot() }

  /// Factor by which the coloured part may increase, and its upper bound, 1-sigma, metres.
  private static let step = 2.0, largestColoured = 0.4
  /// Lower bound of an increased coloured part, 1-sigma, metres.
  private static let leastIncreased = 0.04

  /// The same with twice the coloured part, at least 4 cm; nil beyond the upper bound.
  package var withLargerNoise: RangeNoise? {
    let withLargerNoise = max(Self.step * coloured, Self.leastIncreased)
    return withLargerNoise <= Self.largestColoured ? coloured(atLeast: withLargerNoise) : nil
  }

  /// The same with a coloured part of at least this 1-sigma, metres.
  package func coloured(atLeast least: Double) -> RangeNoise {
    RangeNoise(
      white: white, degrees: degrees, coloured: max(coloured, least), correlationTime: correlationTime,
      correlationLength: correlationLength, law: law)
  }

  /// Predictive variance of the white part, m^2: that of Student's distribution while few ranges are known.
  var expectedVariance: Double { white * white * (1 + 2 / degrees) }

  /// Updates the white variance by one range.
  ///
  /// - Parameters:
  ///   - weight: information of the range relative to one with everything else known, 0...1.
  ///   - change: `weight` times the change of the predictive variance, m^2.
  mutating func learn(degrees weight: Double, change: Double) {
    guard weight > 0, degrees < .infinity else { return }
    let surplus = expectedVariance - white * white
    degrees += weight
    let variance = white * white + (change + weight * surplus) / degrees
    white = min(max(variance, Self.least * Self.least), Self.largest * Self.largest).squareRoot()
  }

  /// Log of the factor on the prior of an error of the place that the white part w gives: `-ln(1 + (w / 0.03 m)^8)`; 0
  /// for others.
  var logQuietness: Double {
    guard isOfPlace else { return 0 }
    return -log1p(pow(white / Self.quiet, 8))
  }

  /// Correlation of the coloured part after `seconds` in which the device moved `metres`, 0...1: `exp(-t/T - d/L)`.
  ///
  /// - Parameters:
  ///   - path: of an error of the pose, metres, for `exp(-u / L)` (`PoseHistory`).
  ///   - change: of an error of the place, `d^2` between two sampled places, m^2 (`VisitedPlaces`), for
  ///     `exp(-t/T - d^2/(2 L^2))`.
  package func memory(after seconds: Double, metres: Double, path: Double = 0, change: Double? = nil) -> Double {
    if law == .pose { return exp(-path / correlationLength) }
    var space = metres / correlationLength
    if isOfPlace, let change { space = change / (2 * correlationLength * correlationLength) }
    return exp(-abs(seconds) / correlationTime - space)
  }
}
