/// An instant on the recording's one clock: whole nanoseconds, because a Double loses them beyond 2^53.
@frozen
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// An instant from its nanoseconds.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Seconds from `other` to this instant; exact to the nanosecond for spans below 100 days.
  @inlinable public func seconds(since other: Timestamp) -> Double {
    Double(nanoseconds &- other.nanoseconds) * 1e-9
  }

  /// The instant `seconds` later, rounded to the nanosecond; saturates at the ends of the clock.
  @inlinable public func advanced(bySeconds seconds: Double) -> Timestamp {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(Int64((seconds * 1e9).rounded()))
    return Timestamp(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : sum)
  }

  /// The instant `count` nanoseconds later.
  @inlinable public func advanced(byNanoseconds count: Int64) -> Timestamp {
    Timestamp(nanoseconds: nanoseconds &+ count)
  }
}
