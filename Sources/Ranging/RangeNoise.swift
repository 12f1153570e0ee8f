import Foundation

/// How the ranges of one link scatter: white noise plus a Gauss-Markov bias of each antenna.
///
/// Real radios are coloured, and a filter that assumes white noise misses a third to two thirds of its "90 %" intervals on
/// them. The coloured part is multipath and antenna pattern: it is the worst of all errors where it forgets as fast as the
/// hand moves. How large it is is not known beforehand, and it cannot be learnt beside the state as the white part is; so there are
/// candidates for it. What was tried: docs/estimator.md.
package struct RangeNoise: Equatable, Sendable {
  /// Least 1-sigma of the white part, metres: no radio that was looked at has less, and what a link seems to have less of is chance.
  private static let least = 0.02
  /// The largest that is believed, metres.
  private static let largest = 0.4
  /// What it is taken for at first lies between these, metres, whatever is stated. A start far below the truth is the worse one: what the ranges scatter then
  /// passes for the coloured part and for gross errors, of which nothing is learnt. Above the upper end nothing is gained: a link learns upwards fast.
  private static let first = 0.06...0.16
  /// Whatever is known from so many ranges is given.
  private static let certain = 1e9

  /// 1-sigma of the white part, metres.
  package private(set) var white: Double
  /// How many ranges that is known from; infinite: it is given, and stays.
  package private(set) var degrees: Double
  /// Stationary 1-sigma of the coloured part, metres.
  package let coloured: Double
  /// Correlation time of the coloured part while the device stands still, seconds.
  package let correlationTime: Double
  /// Distance over which the coloured part decorrelates, metres.
  package let correlationLength: Double

  package init(
    white: Double, degrees: Double = .infinity, coloured: Double, correlationTime: Double, correlationLength: Double
  ) {
    self.white = white
    self.degrees = degrees < Self.certain ? degrees : .infinity
    self.coloured = coloured
    self.correlationTime = correlationTime
    self.correlationLength = correlationLength
  }

  /// A candidate for the coloured part, and the white one that makes up what is left of `total`, metres, as good as known from `degrees` ranges; from 1e9
  /// on it is taken as it is.
  init(total: Double, degrees: Double, coloured: Double, correlationTime: Double, correlationLength: Double) {
    let rest = max(total * total - coloured * coloured, 0).squareRoot()
    let isGiven = degrees >= Self.certain
    self.init(
      white: isGiven ? max(rest, 1e-4) : min(max(rest, Self.first.lowerBound), Self.first.upperBound),
      degrees: degrees, coloured: coloured, correlationTime: correlationTime, correlationLength: correlationLength)
  }

  /// 1-sigma of both parts together, metres.
  package var total: Double { (white * white + coloured * coloured).squareRoot() }

  /// By how much a radio may begin to err more, and the largest coloured 1-sigma that is believed, metres.
  private static let step = 2.0, loudest = 0.4
  /// What a radio errs by at least that has begun to, 1-sigma, metres: twice next to nothing would be nothing.
  private static let loud = 0.04

  /// The same with twice the coloured part, and 4 cm at least; nil where that is more than is believed of any radio.
  package var withLargerNoise: RangeNoise? {
    let withLargerNoise = max(Self.step * coloured, Self.loud)
    return withLargerNoise <= Self.loudest ? coloured(atLeast: withLargerNoise) : nil
  }

  /// The same with a coloured part of no less than this 1-sigma, metres.
  package func coloured(atLeast least: Double) -> RangeNoise {
    RangeNoise(
      white: white, degrees: degrees, coloured: max(coloured, least), correlationTime: correlationTime,
      correlationLength: correlationLength)
  }

  /// Variance to expect of the white part, m^2: that of Student's distribution where it is known from few ranges.
  var expectedVariance: Double { white * white * (1 + 2 / degrees) }

  /// Takes in what a range told of the white part's variance.
  ///
  /// - Parameters:
  ///   - news: how many ranges, everything else known, that is worth, 0...1.
  ///   - change: `news` times what the variance that was expected would have to change by, m^2.
  mutating func learn(degrees news: Double, change: Double) {
    guard news > 0, degrees < .infinity else { return }
    let surplus = expectedVariance - white * white
    degrees += news
    let variance = white * white + (change + news * surplus) / degrees
    white = min(max(variance, Self.least * Self.least), Self.largest * Self.largest).squareRoot()
  }

  /// What is left of the coloured part after `seconds` in which the device moved `metres`, 0...1.
  package func memory(after seconds: Double, metres: Double) -> Double {
    exp(-abs(seconds) / correlationTime - metres / correlationLength)
  }
}
