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

/// The step in which a radio's ranges come, and what rounding to it costs.
///
/// A rounded range errs uniformly within half a step, variance `q^2 / 12`, and the error stays while the distance stays within the
/// step: n equal values in a row hold the information of one. Each counts with the variance `n q^2 / 12`, n the longer of the present run and
/// the mean one.
package struct RangeResolution {
  /// Finest step that is looked for, metres.
  private static let finest = 1e-4
  /// Until so many values followed each other the step is not known.
  package static let fewValues = 4
  /// A step below this is lost in the white noise that every radio has: `0.07 / sqrt(12) = 0.02`, metres.
  private static let coarse = 0.07
  /// Runs of so many equal values before the step is known are of a coarse radio; its step, metres, is at most so.
  private static let longRun = 5, mostUnknown = 1.0

  private var last: Double?
  private var run = 0.0, count = 0.0
  /// How many values followed another one.
  package private(set) var changes = 0
  /// The greatest common divisor of all values, in units of `finest`.
  private var divisor = 0

  /// No ranges yet.
  package init() {}

  /// Takes a range in, metres.
  package mutating func append(_ range: Double) {
    count += 1
    guard range != last else { return run += 1 }
    (last, run) = (range, 1)
    changes += 1
    divisor = Self.commonDivisor(divisor, Self.units(range))
  }

  /// The step, metres; nil until it is known.
  package var step: Double? { changes >= Self.fewValues ? Double(divisor) * Self.finest : nil }

  /// The step, metres, where it is coarser than the noise of a radio; nil where not or not known.
  package var coarseStep: Double? { step.flatMap { $0 >= Self.coarse ? $0 : nil } }

  /// What rounding adds to the variance of each range, m^2; 0 where the step is fine.
  package var variance: Double {
    let mean = count / Double(max(changes, 1))
    if let coarseStep { return max(run, mean) * coarseStep * coarseStep / 12 }
    guard step == nil, run >= Double(Self.longRun) else { return 0 }
    let step = min(Double(divisor) * Self.finest, Self.mostUnknown)
    return step < Self.coarse ? 0 : run * step * step / 12
  }

  /// A range in units of `finest`, clamped so that any value fits an integer.
  private static func units(_ metres: Double) -> Int { Int((min(max(metres, 0), 1e6) / finest).rounded()) }

  private static func commonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : commonDivisor(b, a % b) }
}
