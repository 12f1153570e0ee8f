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

  /// What to add to stamps from `first` to `last`, nanoseconds; said in the report, and noted where it rests on a time of
  /// day alone, which a clock that runs since the phone was switched on may show by chance.
  func shift(first other: Int64, last otherLast: Int64, name: String, _ report: inout ImportReport) -> Int64 {
    for candidate in candidates(other) where overlaps(other &+ candidate.shift, otherLast &+ candidate.shift) {
      report.decide("\(name): \(candidate.words)")
      if candidate.isTimeOfDay {
        report.find(
          "clockAssumed", .note, "\(name) and the log are on two clocks: the time of day is taken for both",
          evidence: "only so do their times meet", remedy: "log both on one clock, or the ranges from zero, to be sure")
      }
      return candidate.shift
    }
    report.decide("\(name): by no clock that is known do its times meet the log's: they stay as they are")
    return 0
  }

  private struct Candidate {
    var shift: Int64
    var words: String
    var isTimeOfDay = false
  }

  private func candidates(_ other: Int64) -> [Candidate] {
    var list = [Candidate(shift: 0, words: "on the log's clock")]
    if Self.isEpoch(other), let toEpoch {
      list.append(Candidate(shift: -toEpoch, words: "since 1970, brought onto the log's clock, which says its own"))
    }
    if Self.isEpoch(other), !Self.isEpoch(first) {
      list.append(
        Candidate(
          shift: -(other / Self.day) * Self.day,
          words: "since 1970; the log's clock is taken for the time of day (UTC)",
          isTimeOfDay: true))
    }
    if !Self.isEpoch(other), Self.isEpoch(first) {
      list.append(
        Candidate(
          shift: first / Self.day * Self.day, words: "taken for the time of day (UTC) of the log's dates",
          isTimeOfDay: true)
      )
    }
    // From zero: within a minute of it, as a recorder that begins with the log writes.
    if abs(other) < 60_000_000_000 {
      list.append(Candidate(shift: first, words: "from zero: the log's beginning is taken for it"))
    }
    return list
  }

  private func overlaps(_ a: Int64, _ b: Int64) -> Bool {
    // As numbers: differences of damaged stamps do not fit whole ones.
    let shared = Double(min(b, last)) - Double(max(a, first))
    let shorter = max(1, min(Double(b) - Double(a), Double(last) - Double(first)))
    return shared * 2 >= shorter && shared >= 0
  }
}
