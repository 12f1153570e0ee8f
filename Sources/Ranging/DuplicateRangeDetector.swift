import Foundation
import Geometry
import SensorData

/// Tells whether a range is news, or the one before said once more.
///
/// Firmware that hangs, and loggers that sample faster than the radio measures, repeat the newest range to the digit. Taken for news, a range that does not
/// change while the device moves is a peer straight across its way, logPredictiveDensity ever better: an arrow that is wrong and sure. Radios do repeat a value by
/// chance, the more often the coarser they count; so the odds of that decide.
package struct DuplicateRangeDetector {
  /// A run of the same value that chance explains less often than this is no news.
  private static let least = 1e-3
  /// 1-sigma of a radio that scatters little, metres: the less it does, the likelier is chance.
  private static let scatter = 0.03
  /// However coarsely a radio counts, chance repeats a value no oftener than this: noise and hand go on.
  private static let mostLikely = 0.9
  /// Before so many values differed, a radio is taken to count in centimetres, and to repeat itself by right while the device
  /// stands: who writes a recording by hand may have no noise.
  private static let fewValues = 4
  /// The device stands within this, metres.
  private static let still = 0.03
  /// Ranges are told apart down to this, metres.
  private static let finest = 1e-4
  /// What a radio counts in as long as its values do not tell, metres.
  private static let assumedStep = 0.01

  private var last: Measured?
  /// Where the antenna was when the value came for the first time that this was known, world, metres.
  private var place: Vector3?
  private var hasMoved = false
  private var odds = 1.0
  private var values = 0
  /// The greatest common divisor of all values, in units of `finest`.
  private var divisor = 0

  /// Nothing heard yet.
  package init() {}

  /// What a radio measures.
  private struct Measured: Equatable {
    var range: Double
    var azimuth: Double?
    var elevation: Double?
  }

  /// Takes a range in.
  ///
  /// - Parameter antenna: where its antenna is, world, metres; nil where there is no path.
  /// - Returns: whether it is the one before said once more.
  package mutating func isRepeated(_ range: RangeMeasurement, antenna: Vector3?) -> Bool {
    let measured = Measured(range: range.range, azimuth: range.azimuth, elevation: range.elevation)
    guard measured == last else {
      (last, place, hasMoved, odds) = (measured, antenna, false, 1)
      values += 1
      divisor = Self.commonDivisor(divisor, Self.units(range.range))
      return false
    }
    let isKnown = values >= Self.fewValues
    let step = isKnown ? Double(divisor) * Self.finest : Self.assumedStep
    // Two draws of a normal distribution are within half a step: the density of their difference at zero.
    odds *= min(step / (2 * Double.pi.squareRoot() * Self.scatter), Self.mostLikely)
    if let antenna {
      hasMoved = hasMoved || (antenna - (place ?? antenna)).norm > Self.still
      place = place ?? antenna
    }
    return odds < Self.least && (isKnown || hasMoved)
  }

  /// A range in units of `finest`; what no radio measures fits in a number, too.
  private static func units(_ metres: Double) -> Int { Int((min(max(metres, 0), 1e6) / finest).rounded()) }

  private static func commonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : commonDivisor(b, a % b) }
}
