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
  /// Whether the coloured part is a function of the place: it outlasts a rest, and repeats where the antenna comes
  /// back.
  package let isOfPlace: Bool

  package init(
    white: Double, degrees: Double = .infinity, coloured: Double, correlationTime: Double, correlationLength: Double,
    isOfPlace: Bool = false
  ) {
    self.white = white
    self.degrees = degrees < Self.certain ? degrees : .infinity
    self.coloured = coloured
    self.correlationTime = correlationTime
    self.correlationLength = correlationLength
    self.isOfPlace = isOfPlace
  }

  /// A candidate for the coloured part, with the white part that is left of `total`, metres, with the weight of
  /// `degrees` ranges; from 1e9 on it is fixed.
  init(
    total: Double, degrees: Double, coloured: Double, correlationTime: Double, correlationLength: Double,
    isOfPlace: Bool
  ) {
    let rest = max(total * total - coloured * coloured, 0).squareRoot()
    let isGiven = degrees >= Self.certain
    self.init(
      white: isGiven ? max(rest, 1e-4) : min(max(rest, Self.first.lowerBound), Self.first.upperBound),
      degrees: degrees, coloured: coloured, correlationTime: correlationTime, correlationLength: correlationLength,
      isOfPlace: isOfPlace)
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
      correlationLength: correlationLength, isOfPlace: isOfPlace)
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
  /// - Parameter change: of an error of the place, `d^2` between two sampled places, m^2 (`VisitedPlaces`), for
  ///   `exp(-t/T - d^2/(2 L^2))`.
  package func memory(after seconds: Double, metres: Double, change: Double? = nil) -> Double {
    var space = metres / correlationLength
    if isOfPlace, let change { space = change / (2 * correlationLength * correlationLength) }
    return exp(-abs(seconds) / correlationTime - space)
  }
}
