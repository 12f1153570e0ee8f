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
