import SensorData

/// How many updates a session's measurements may make: pure, of the data only, so that it decides the same after a
/// restart.
///
/// The finder gives regular updates over silence, too, up to ten minutes at a time: a few stamps far apart would make as
/// many updates as hours of measurements. A device that measures makes a few for each.
package struct OutputBudget: Equatable, Sendable {
  /// Updates that a session may make before its measurements count.
  package static let basis = 20_000
  /// Updates that a measurement may make.
  package static let perMeasurement = 50
  /// Longest silence that the finder fills, nanoseconds.
  private static let longestSilence: Int64 = 600_000_000_000

  /// Nanoseconds between regular updates.
  private let interval: Int64
  private var left = Self.basis
  private var newest: Int64?
  private var peers: Set<String> = []
  /// Updates of the session so far.
  package private(set) var made = 0
  /// Measurements so far.
  package private(set) var measurements = 0

  /// A budget of a finder that gives regular updates at an interval in seconds.
  package init(updateInterval: Double) {
    interval = Int64((min(max(updateInterval, 0.001), 1e9) * 1e9).rounded())
  }

  /// Whether the next measurement, in order of arrival, may be processed; called before it is.
  package mutating func permits(_ event: SensorEvent) -> Bool {
    measurements += 1
    left += Self.perMeasurement
    let time = event.timestamp.nanoseconds
    // A stamp at the other end of all time is as far as the finder goes.
    let silence: Int64 =
      newest.map { last in
        let (difference, overflows) = time.subtractingReportingOverflow(last)
        return overflows ? (time > last ? Self.longestSilence : 0) : min(max(difference, 0), Self.longestSilence)
      } ?? 0
    let expected = Int(silence / interval) * peers.count
    newest = max(newest ?? time, time)
    if case .range(let range) = event { peers.insert(range.peer) }
    return expected <= max(left, 0)
  }

  /// Updates came of it.
  package mutating func spend(_ count: Int) {
    left -= count
    made += count
  }

  /// Whether more came than its measurements may make.
  package var isExceeded: Bool { left < 0 }
}
