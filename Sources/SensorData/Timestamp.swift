/// An instant on the recording's single clock: whole nanoseconds, because a Double is inexact beyond 2^53.
@frozen
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// An instant from its nanoseconds.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Whether a is before b.
  @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Seconds from `other` to this instant; exact to the nanosecond for spans below 100 days.
  @inlinable public func seconds(since other: Timestamp) -> Double {
    let (span, overflow) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return (overflow ? Double(nanoseconds) - Double(other.nanoseconds) : Double(span)) / 1e9
  }

  /// The instant `seconds` later, rounded to the nanosecond; saturates at the ends of the clock. NaN returns it
  /// unchanged.
  @inlinable public func advanced(bySeconds seconds: Double) -> Timestamp {
    let count = (seconds * 1e9).rounded()
    guard !count.isNaN else { return self }
    return advanced(byNanoseconds: Int64(exactly: count) ?? (count < 0 ? .min : .max))
  }

  /// The instant `count` nanoseconds later; saturates at the ends of the clock.
  @inlinable public func advanced(byNanoseconds count: Int64) -> Timestamp {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
    return Timestamp(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
  }
}

extension RandomAccessCollection {
  /// Index of the first element that is behind; the end where none is. All elements behind such a one are behind too.
  /// O(log n).
  @inlinable package func partitioningIndex(where isBehind: (Element) -> Bool) -> Index {
    var low = startIndex, count = self.count
    while count > 0 {
      let half = count / 2, middle = index(low, offsetBy: half)
      if isBehind(self[middle]) { count = half } else { (low, count) = (index(after: middle), count - half - 1) }
    }
    return low
  }
}
