import Datasets
import JSONText

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
    steps.sort()
    let step = steps.isEmpty ? 0 : steps[steps.count / 2]
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
        + (step > 0 ? ", by its rows' rate of \(Figures.fixed(rate, rate < 10 ? 1 : 0)) Hz" : "")
        + ", \(Self.origin(false, first, chosen))")
  }

  private static func origin(_ isEpoch: Bool, _ first: Double, _ unit: DecimalTime.Unit) -> String {
    if isEpoch { return "since 1970" }
    var seconds = first
    for _ in 0..<unit.decimals { seconds /= 10 }
    return abs(seconds) < 60 ? "from zero" : "not since 1970 (from \(Figures.fixed(seconds, 1)) s on)"
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
