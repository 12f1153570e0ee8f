import SensorData
import Testing

@Suite struct TimestampTests {
  static let first = Timestamp(nanoseconds: .min)
  static let last = Timestamp(nanoseconds: .max)

  @Test func nanosecondsOfOurDaysAreKept() {
    let now = Timestamp(nanoseconds: 1_700_000_012_037_000_001)
    #expect(now.advanced(bySeconds: 1e-9).nanoseconds == 1_700_000_012_037_000_002)
    #expect(now.advanced(bySeconds: -0.037).nanoseconds == 1_700_000_012_000_000_001)
    #expect(now.advanced(byNanoseconds: 7).seconds(since: now) == 7e-9)
    #expect(now < now.advanced(byNanoseconds: 1))
  }

  @Test(arguments: [Double.infinity, 1e300, 9.3e9])
  func farSecondsEndAtTheClocksEnds(seconds: Double) {
    #expect(Timestamp(nanoseconds: 5).advanced(bySeconds: seconds) == Self.last)
    #expect(Timestamp(nanoseconds: -5).advanced(bySeconds: -seconds) == Self.first)
  }

  @Test func noSecondsAtAllLeaveTheTimeAsItIs() {
    #expect(Timestamp(nanoseconds: 5).advanced(bySeconds: .nan) == Timestamp(nanoseconds: 5))
  }

  @Test func stepsAcrossTheEndStayAtTheEnd() {
    #expect(Self.last.advanced(byNanoseconds: 1) == Self.last)
    #expect(Self.first.advanced(byNanoseconds: -1) == Self.first)
    #expect(Self.last.advanced(bySeconds: 1) == Self.last)
    #expect(Self.first.advanced(bySeconds: -1) == Self.first)
  }

  @Test func spansBeyondTheClockKeepSignAndSize() {
    let whole = Self.last.seconds(since: Self.first)
    #expect(abs(whole / 18_446_744_073.709551615 - 1) < 1e-12)
    #expect(Self.first.seconds(since: Self.last) == -whole)
    #expect(Self.last.seconds(since: Self.last) == 0)
  }
}
