import Datasets
import JSONText
import LeastSquares
import SensorData
import Wording

/// How a table says its times: numbers in a unit, or dates. Stated, or found in the table and said.
enum TimeForm: Equatable {
  case number(DecimalTime.Unit)
  case calendar

  /// What a table holds, for the rates that are usual of it.
  enum Content {
    case inertial, poses, ranges

    /// Seconds between rows that are usual.
    fileprivate var steps: ClosedRange<Double> {
      switch self {
      case .inertial: 0.0002...0.2
      case .poses: 0.0005...2
      case .ranges: 0.0005...20
      }
    }
  }

  /// A form, and how it was found.
  struct Found {
    var form: TimeForm
    /// Whether times count from 1970 (or are dates).
    var isSince1970: Bool
    /// A sentence for the report.
    var words: String
  }

  /// Rows that are looked at.
  private static let most = 400

  /// The form of a table's times: stated, or dates, or since 1970 (whose size tells the unit), or by the unit in the
  /// header, or the unit in which the rows come at a rate that is usual of such a table.
  ///
  /// - Parameters:
  ///   - names: the names of the column, best first.
  ///   - header: names of all columns, of a file without a header.
  /// - Throws: `DatasetError` for a column that holds no times.
  static func find(
    _ path: String, names: [String], header: [String]? = nil, content: Content, stated: DecimalTime.Unit? = nil
  ) throws(DatasetError) -> Found {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let table = try SourceTable(path: path, columns: [.init(names: names)], names: header, isRadio: content == .ranges)
    var numbers: [Double] = []
    var unit: DecimalTime.Unit?, parts: CalendarTime.Parts?, unreadable: DatasetError?
    var rows = 0, dates = 0
    while rows < most,
      let cell = try table.next({ (t: SourceTable) throws(SourceFault) -> SourceTable.TimeCell? in t.timeCell(0) })
    {
      rows += 1
      switch cell {
      case .number(let value, let likely):
        if numbers.isEmpty { unit = likely }
        numbers.append(value)
      case .date(let found):
        if dates == 0 { parts = found }
        dates += 1
      case .other: if unreadable == nil { unreadable = table.error(table.noTime(0)) }
      }
    }
    // What the rows are for the most part: who reads them says which are not.
    if dates <= numbers.count { parts = nil }
    if stated == nil, numbers.isEmpty, dates == 0, let unreadable { throw unreadable }
    if let stated {
      let first = numbers.first ?? 0
      let isEpoch = unit == stated
      return Found(
        form: .number(stated), isSince1970: isEpoch,
        words: "\(file): times in \(stated.rawValue), as stated, \(Self.origin(isEpoch, first, stated))")
    }
    if let parts {
      return Found(
        form: .calendar, isSince1970: parts.hasDate,
        words: "\(file): times are "
          + (parts.hasDate
            ? "dates, \(parts.hasZone ? "with their zone" : "without a zone, taken as UTC")" : "times of day"))
    }
    let first = numbers.first ?? 0
    if let unit {
      return Found(form: .number(unit), isSince1970: true, words: "\(file): times in \(unit.rawValue) since 1970")
    }
    if let unit = Self.unit(inHeader: table.name(0)) {
      return Found(
        form: .number(unit), isSince1970: false,
        words: "\(file): times in \(unit.rawValue), as the header says, \(Self.origin(false, first, unit))")
    }
    var steps: [Double] = []
    for (a, b) in zip(numbers, numbers.dropFirst()) where b > a { steps.append(b - a) }
    let step = steps.median ?? 0
    func seconds(_ unit: DecimalTime.Unit) -> Double {
      var value = step
      for _ in 0..<unit.decimals { value /= 10 }
      return value
    }
    let likely = DecimalTime.Unit.allCases.first { content.steps.contains(seconds($0)) }
    let chosen = likely ?? .seconds
    let rate = step > 0 ? 1 / seconds(chosen) : 0
    return Found(
      form: .number(chosen), isSince1970: false,
      words: "\(file): times in \(chosen.rawValue)"
        + (step > 0 ? ", by its rows' rate of \(Words.fixed(rate, rate < 10 ? 1 : 0)) Hz" : "")
        + ", \(Self.origin(false, first, chosen))")
  }

  private static func origin(_ isEpoch: Bool, _ first: Double, _ unit: DecimalTime.Unit) -> String {
    if isEpoch { return "since 1970" }
    var seconds = first
    for _ in 0..<unit.decimals { seconds /= 10 }
    return abs(seconds) < 60 ? "from zero" : "not since 1970 (from \(Words.fixed(seconds, 1)) s on)"
  }

  /// The unit that a column's name ends in: `time [ms]`, `time(ns)`, `timestamp_us`, `Timestamp[nanosec]`.
  static func unit(inHeader name: String) -> DecimalTime.Unit? {
    let words = name.lowercased().split { !$0.isLetter }
    guard words.count > 1, let last = words.last else { return nil }
    switch last {
    case "ns", "nsec", "nanosec", "nanos", "nanosecond", "nanoseconds": return .nanoseconds
    case "us", "usec", "microsec", "micros", "microseconds": return .microseconds
    case "ms", "msec", "millisec", "millis", "milliseconds": return .milliseconds
    case "s", "sec", "secs", "second", "seconds": return .seconds
    default: return nil
    }
  }
}

extension SourceTable {
  /// A cell of times, as found.
  enum TimeCell {
    /// A number, and the unit in which it is a time since 1970.
    case number(Double, DecimalTime.Unit?)
    case date(CalendarTime.Parts)
    case other
  }

  /// What a cell of times holds.
  func timeCell(_ column: Int) -> TimeCell {
    let bytes = self.bytes(column)
    if let base = bytes.baseAddress, case .number(let value) = NumberText.double(base, bytes.count) {
      return .number(value, DecimalTime.likelyUnit(base, bytes.count))
    }
    return CalendarTime.parts(bytes).map { .date($0) } ?? .other
  }

  /// A time in whole nanoseconds.
  @inline(__always)
  func time(_ column: Int, _ form: TimeForm) throws(SourceFault) -> Int64 {
    switch form {
    case .number(let unit): return try time(column, unit)
    case .calendar:
      guard let parts = CalendarTime.parts(bytes(column)) else { throw noTime(column) }
      return parts.nanoseconds
    }
  }

  func noTime(_ column: Int) -> SourceFault {
    let text = String(decoding: bytes(column).prefix(40), as: UTF8.self)
    let found = "\(name(column)) \(text.isEmpty ? "with an empty cell" : "'\(text)'")"
    return CalendarTime.isAmbiguous(text)
      ? SourceFault(found: found, expected: "a date whose day and month are plain: 2023-11-14T22:13:20.5Z")
      : SourceFault(found: found, expected: "a time: a number in s, ms, us or ns, or a date: 2023-11-14T22:13:20.5Z")
  }
}

/// Times of foreign files as whole nanoseconds: decimal texts digit by digit, because a Double of seconds since 1970
/// is only good to 240 ns.
enum DecimalTime {
  /// Unit of the text.
  package enum Unit: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// Decimals of a second.
    var decimals: Int {
      switch self {
      case .seconds: 0
      case .milliseconds: 3
      case .microseconds: 6
      case .nanoseconds: 9
      }
    }
  }

  /// Whole nanoseconds, rounded half away from zero; nil for anything but a finite number below 146 years.
  static func nanoseconds(_ start: UnsafePointer<UInt8>, _ count: Int, _ unit: Unit) -> Int64? {
    var p = start
    let end = start + count
    guard p < end else { return nil }
    let isNegative = p.pointee == 0x2D
    if isNegative || p.pointee == 0x2B { p += 1 }
    var value: Int64 = 0, digits = 0
    while p < end, p.pointee &- 0x30 <= 9 {
      guard value < 460_000_000_000_000_000 else { return nil }
      value = value * 10 + Int64(p.pointee &- 0x30)
      digits += 1
      p += 1
    }
    var missing = 9 - unit.decimals
    var isHalf = false
    if p < end, p.pointee == 0x2E {
      p += 1
      var position = 0
      while p < end, p.pointee &- 0x30 <= 9 {
        let digit = Int64(p.pointee &- 0x30)
        if missing > 0 {
          guard value < 460_000_000_000_000_000 else { return nil }
          value = value * 10 + digit
          missing -= 1
        } else if position == 9 - unit.decimals {
          isHalf = digit >= 5
        }
        position += 1
        digits += 1
        p += 1
      }
    }
    guard digits > 0 else { return nil }
    if p != end {  // an exponent
      guard case .number(let number) = NumberText.double(start, count) else { return nil }
      var scaled = number
      for _ in 0..<(9 - unit.decimals) { scaled *= 10 }
      return abs(scaled) < 4.6e18 ? Int64(scaled.rounded()) : nil
    }
    for _ in 0..<missing {
      guard value < 460_000_000_000_000_000 else { return nil }
      value *= 10
    }
    if isHalf { value += 1 }
    return isNegative ? -value : value
  }

  /// The unit in which a whole number is a time between 2001 and 2100, counted from 1970; nil for any other text.
  static func likelyUnit(_ start: UnsafePointer<UInt8>, _ count: Int) -> Unit? {
    guard case .number(let value) = NumberText.double(start, count) else { return nil }
    return Unit.allCases.first { unit in
      var seconds = value
      for _ in 0..<unit.decimals { seconds /= 10 }
      return seconds > 1e9 && seconds < 4.1e9
    }
  }

  /// The same from a Double, for formats that have nothing better.
  static func nanoseconds(seconds: Double) -> Int64? {
    let scaled = (seconds * 1e9).rounded()
    return abs(scaled) < 4.6e18 ? Int64(scaled) : nil
  }
}

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
