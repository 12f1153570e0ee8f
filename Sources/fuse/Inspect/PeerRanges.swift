import SensorData

/// Statistics of the ranges of one peer.
package struct PeerRanges {
  /// No ranges yet.
  package init() {}

  /// Their rate and gaps.
  private(set) var meter = RateMeter()
  /// The ranges, metres.
  private(set) var ranges = LogHistogram()
  private var jumps = LogHistogram()
  /// How many came with an angle of arrival.
  private(set) var angles = 0
  /// How many came with a sigma of their own.
  private(set) var sigmas = 0
  /// How many equal the previous one exactly.
  private(set) var repeated = 0
  private var previous: [String: (Double, Double?)] = [:]

  /// Adds the next range.
  package mutating func add(_ range: RangeMeasurement) {
    meter.add(range.timestamp)
    ranges.add(range.range)
    if range.azimuth != nil { angles += 1 }
    if range.standardDeviation != nil { sigmas += 1 }
    // Per antenna: a second difference across two antennas would contain their baseline.
    let antenna = range.antenna ?? ""
    if previous[antenna]?.0 == range.range { repeated += 1 }
    if let (one, two) = previous[antenna], let two { jumps.add(abs(range.range - 2 * one + two)) }
    previous[antenna] = (range.range, previous[antenna]?.0)
  }

  /// Whether more of them repeat the previous one than chance explains, even with rounding to centimetres.
  package var isRepeating: Bool { Double(repeated) > 0.25 * Double(max(meter.count, 20)) }

  /// 1-sigma of the ranges' white noise, metres, from the median second difference, which removes smooth motion and is
  /// robust to outliers. 0.6745 is the normal quartile and sqrt(6) the noise of `r - 2 r' + r''`. Nil for few ranges.
  package var noise: Double? { jumps.count >= 10 ? jumps.quantile(0.5)! / (0.6745 * 6.0.squareRoot()) : nil }
}
