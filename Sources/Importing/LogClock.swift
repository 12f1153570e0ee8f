import SensorData

/// The clock of a phone's log, and how another file's times come onto it: one rule for every kind of log.
///
/// Ranges beside a log may be stamped by the log's own clock, since 1970, by the time of day, or from the log's beginning.
/// The first of these by which half of them lie within the log is it; where none is, they stay as they are, and the check
/// says that the clocks do not meet.
struct LogClock {
  /// First and last stamp of the log, nanoseconds.
  var first: Int64, last: Int64
  /// Nanoseconds to add to the log's stamps for those since 1970, where the log says.
  var toEpoch: Int64?

  private static let day: Int64 = 86_400_000_000_000
  /// Since 2001.
  private static func isEpoch(_ time: Int64) -> Bool { time > 978_307_200_000_000_000 }

  /// What to add to stamps from `first` to `last`, and a sentence for the report.
  func shift(first other: Int64, last otherLast: Int64, name: String) -> (nanoseconds: Int64, words: String) {
    for (shift, words) in candidates(other) where overlaps(other &+ shift, otherLast &+ shift) {
      return (shift, "\(name): \(words)")
    }
    return (0, "\(name): by no clock that is known do its times meet the log's: they stay as they are")
  }

  private func candidates(_ other: Int64) -> [(Int64, String)] {
    var list: [(Int64, String)] = [(0, "on the log's clock")]
    if Self.isEpoch(other), let toEpoch {
      list.append((-toEpoch, "since 1970, brought onto the log's clock, which says its own"))
    }
    if Self.isEpoch(other), !Self.isEpoch(first) {
      list.append((-(other / Self.day) * Self.day, "dates; the log's clock is the time of day (UTC)"))
    }
    if !Self.isEpoch(other), Self.isEpoch(first) {
      list.append((first / Self.day * Self.day, "the time of day (UTC) of the log's dates"))
    }
    // From zero: within a minute of it, as a recorder that begins with the log writes.
    if abs(other) < 60_000_000_000 {
      list.append((first, "from zero: the log's beginning is taken for it"))
    }
    return list
  }

  private func overlaps(_ a: Int64, _ b: Int64) -> Bool {
    let shared = min(b, last) - max(a, first), shorter = max(1, min(b - a, last - first))
    return shared * 2 >= shorter && shared >= 0
  }
}
