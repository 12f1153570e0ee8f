import Foundation
import Geometry
import SensorData

/// Detects ranges that repeat the previous measurement instead of measuring again.
///
/// Hung firmware, and loggers that sample faster than the radio measures, repeat the newest range to the digit.
/// Processed as new data, a range that stays constant while the device moves looks like a peer exactly across its path,
/// with a growing and false certainty. Radios also repeat a value by chance, the more often the coarser their
/// resolution. So the probability of a chance repetition decides.
package struct DuplicateRangeDetector {
  /// A run of equal values with a chance probability below this is a duplicate.
  private static let least = 1e-3
  /// 1-sigma of a low-noise radio, metres; less noise makes chance repetitions likelier.
  private static let scatter = 0.03
  /// Upper bound of the probability of one chance repetition, for noise and hand motion go on.
  private static let mostLikely = 0.9
  /// A device that stays within this radius is stationary, metres.
  private static let still = 0.03
  /// Step of the ranges until it is known, metres; until then duplicates are not detected while the device is stationary: a hand-written
  /// recording may be free of noise.
  private static let assumedStep = 0.01

  private var last: Measured?
  /// Antenna position at the first known occurrence of the value, world, metres.
  private var firstAntenna: Vector3?
  private var hasMoved = false
  private var chance = 1.0
  /// The step in which ranges come.
  package private(set) var resolution = RangeResolution()

  package init() {}

  private struct Measured: Equatable {
    var range: Double
    var azimuth: Double?
    var elevation: Double?
  }

  /// Processes a range.
  ///
  /// - Parameter antenna: position of its antenna, world, metres; nil where there is no trajectory.
  /// - Returns: whether it duplicates the previous one.
  package mutating func isDuplicate(_ range: RangeMeasurement, antenna: Vector3?) -> Bool {
    resolution.append(range.range)
    let measured = Measured(range: range.range, azimuth: range.azimuth, elevation: range.elevation)
    guard measured == last else {
      (last, firstAntenna, hasMoved, chance) = (measured, antenna, false, 1)
      return false
    }
    let isKnown = resolution.step != nil
    let step = resolution.step ?? Self.assumedStep
    // Two normal draws lie within half a step: density of their difference at zero times the step.
    chance *= min(step / (2 * Double.pi.squareRoot() * Self.scatter), Self.mostLikely)
    if let antenna {
      hasMoved = hasMoved || (antenna - (firstAntenna ?? antenna)).norm > Self.still
      firstAntenna = firstAntenna ?? antenna
    }
    return chance < Self.least && (isKnown || hasMoved)
  }
}
