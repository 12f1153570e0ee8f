import PrecisionFinding
import SensorData
import Testing

@Suite struct SignalPowerMonitorTests {
  static func range(_ seconds: Double, first: Double?, rssi: Double? = nil) -> RangeMeasurement {
    RangeMeasurement(
      timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: seconds), peer: "a", range: 3, rssi: rssi,
      firstPathPower: first)
  }

  /// The first path's power counts, the total power only without it, and a radio that reports none is never weak.
  @Test func whichPowerCounts() {
    var monitor = SignalPowerMonitor(limit: -93)
    monitor.update(Self.range(0, first: nil))
    #expect(monitor.power == nil && !monitor.isWeak)
    monitor.update(Self.range(0.1, first: -100, rssi: -80))
    #expect(monitor.power == -100 && monitor.isWeak)
    monitor.update(Self.range(9, first: nil))
    #expect(monitor.isWeak, "a range without a power changes nothing")
    var other = SignalPowerMonitor(limit: -93)
    other.update(Self.range(0, first: nil, rssi: -94))
    #expect(other.power == -94 && other.isWeak)
  }

  /// A moment of shadow is not weakness; two seconds and more of it are.
  @Test func itTakesSeconds() throws {
    var monitor = SignalPowerMonitor(limit: -93)
    for k in 0...20 { monitor.update(Self.range(0.1 * Double(k), first: -85)) }
    var weakAt: Double?
    for k in 21...80 {
      monitor.update(Self.range(0.1 * Double(k), first: -97))
      if monitor.isWeak { weakAt = weakAt ?? 0.1 * Double(k) - 2 }
    }
    // -85 to -97 passes -93 after 2 s x ln 3.
    #expect(abs(try #require(weakAt) - 2.2) < 0.15)
  }

  /// Once weak, a power about the limit does not come and go.
  @Test func itDoesNotFlicker() {
    var monitor = SignalPowerMonitor(limit: -93)
    monitor.update(Self.range(0, first: -94))
    for k in 1...100 {
      monitor.update(Self.range(0.1 * Double(k), first: k % 2 == 0 ? -90 : -94))
      #expect(monitor.isWeak)
    }
    for k in 101...160 { monitor.update(Self.range(0.1 * Double(k), first: -80)) }
    #expect(!monitor.isWeak)
  }
}
