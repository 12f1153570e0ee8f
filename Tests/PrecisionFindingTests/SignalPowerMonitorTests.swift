import PrecisionFinding
import SensorData
import Testing

@Suite struct SignalPowerMonitorTests {
  static func range(_ seconds: Double, first: Double?, rssi: Double? = nil) -> RangeMeasurement {
    RangeMeasurement(
      timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: seconds), peer: "a", range: 3, rssi: rssi,
      firstPathPower: first)
  }

  /// The first path tells, all paths only where it is silent, and a radio that tells nothing is never weak.
  @Test func whichPowerCounts() {
    var watch = SignalPowerMonitor(limit: -93)
    watch.take(Self.range(0, first: nil))
    #expect(watch.power == nil && !watch.isWeak)
    watch.take(Self.range(0.1, first: -100, rssi: -80))
    #expect(watch.power == -100 && watch.isWeak)
    watch.take(Self.range(9, first: nil))
    #expect(watch.isWeak, "silence is no news")
    var other = SignalPowerMonitor(limit: -93)
    other.take(Self.range(0, first: nil, rssi: -94))
    #expect(other.power == -94 && other.isWeak)
  }

  /// A moment of shadow is not weakness; two seconds and more of it are.
  @Test func itTakesSeconds() throws {
    var watch = SignalPowerMonitor(limit: -93)
    for k in 0...20 { watch.take(Self.range(0.1 * Double(k), first: -85)) }
    var weakAt: Double?
    for k in 21...80 {
      watch.take(Self.range(0.1 * Double(k), first: -97))
      if watch.isWeak { weakAt = weakAt ?? 0.1 * Double(k) - 2 }
    }
    // -85 to -97 passes -93 after 2 s x ln 3.
    #expect(abs(try #require(weakAt) - 2.2) < 0.15)
  }

  /// Once weak, a power about the limit does not come and go.
  @Test func itDoesNotFlicker() {
    var watch = SignalPowerMonitor(limit: -93)
    watch.take(Self.range(0, first: -94))
    for k in 1...100 {
      watch.take(Self.range(0.1 * Double(k), first: k % 2 == 0 ? -90 : -94))
      #expect(watch.isWeak)
    }
    for k in 101...160 { watch.take(Self.range(0.1 * Double(k), first: -80)) }
    #expect(!watch.isWeak)
  }
}
