/// Bounds of measured values: a number outside is damage, in files and in event lines alike.
package enum SensorBounds {
  /// Angular rate of one axis, rad/s.
  package static let angularVelocity = -1e4...1e4
  /// Specific force along one axis, m/s^2.
  package static let specificForce = -1e5...1e5
  /// Position along one axis, metres.
  package static let position = -1e8...1e8
  /// Pixel of a feature.
  package static let pixel = -1e6...1e6
  /// Mean brightness, 0 black ... 1 white.
  package static let luma = 0.0...1
  /// Exposure time, nanoseconds.
  package static let exposure = 0...1e12
  /// A range, metres; below zero it is damage of its own kind.
  package static let range = -1e6...1e6
  /// 1-sigma of a range, metres.
  package static let rangeDeviation = 1e-9...1e6
  /// Azimuth, radians.
  package static let azimuth = -7.0...7
  /// Elevation, radians.
  package static let elevation = -1.6...1.6
  /// 1-sigma of an angle, radians.
  package static let angleDeviation = 1e-9...7
  /// Received power, dBm.
  package static let power = -1000.0...1000
  /// Probability of NLOS.
  package static let nlos = 0.0...1
  /// Whether a stamp, nanoseconds, is far enough from the ends of the clock that differences cannot overflow.
  package static func isStamp(_ value: Int64) -> Bool { value > -(1 << 62) && value < 1 << 62 }
  /// Whether a name can stand in a table: a text without commas, control characters or blanks around it.
  package static func isName(_ text: String) -> Bool {
    !text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2C } && text.utf8.first != 0x20 && text.utf8.last != 0x20
  }
}

/// Judges a stamp that is far ahead of all before it: an outlier, or a gap behind which the clock goes on. One law for
/// the rows of a file and for event lines.
///
/// It is a gap once as many measurements as `confirmations`, itself among them, are not earlier than it; an outlier once
/// its own stream goes on where it was. In a sequence in order nothing is an outlier.
package struct FutureStamp: Sendable {
  /// What it is.
  package enum Verdict: Sendable {
    case gap, outlier
  }

  /// Further ahead than this is to be judged, nanoseconds: longer than any stream's interval, shorter than what a session
  /// could do without.
  package static let step: Int64 = 1_000_000_000
  /// Measurements that make a gap: three outliers in a row do not.
  package static let confirmations = 4

  /// The stamp, or arrival where the stream has it, nanoseconds.
  package let stamp: Int64
  private var later = 1
  private var earlier = 0

  /// A stamp to be judged.
  package init(_ stamp: Int64) { self.stamp = stamp }

  /// Whether a stamp is to be judged behind a clock; at the beginning, nil, every one is.
  package static func isSuspect(_ stamp: Int64, after clock: Int64?) -> Bool {
    guard let clock else { return true }
    let (difference, isOver) = stamp.subtractingReportingOverflow(clock)
    return isOver ? stamp > clock : difference > step
  }

  /// A measurement that came behind it; `isOwn`: of its stream. nil: more are needed.
  package mutating func next(_ other: Int64, clock: Int64?, isOwn: Bool) -> Verdict? {
    if other >= stamp {
      later += 1
      return later >= Self.confirmations ? .gap : nil
    }
    guard let clock else {
      // Nothing came before it: the first of all is wrong where the next ones agree on another time.
      if Self.isSuspect(stamp, after: other) { earlier += 1 }
      return isOwn && earlier >= Self.confirmations ? .outlier : nil
    }
    guard !Self.isSuspect(other, after: clock) else { return nil }
    earlier += 1
    return isOwn ? .outlier : nil
  }

  /// Whether the others have confirmed it.
  package var isGap: Bool { later >= Self.confirmations }

  /// What it is where nothing more comes.
  package var last: Verdict { earlier >= Self.confirmations ? .outlier : .gap }
}
