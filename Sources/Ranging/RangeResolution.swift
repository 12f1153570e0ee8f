import Foundation

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
