/// Times written as dates: ISO 8601 and its relatives, as whole nanoseconds since 1970.
///
/// `2023-11-14T22:13:20.125Z`, a blank or `_` for the T, `/` or `.` for the dashes, `14.11.2023`, `20231114T221320`, zones
/// `+01:00`, `+0100`, `+01`, `UTC`; without a zone UTC is taken. A time of day alone counts from midnight.
enum CalendarTime {
  /// What a text holds.
  struct Parts: Equatable {
    /// Nanoseconds since 1970, or since midnight.
    var nanoseconds: Int64
    /// Whether there is a date; without one it is a time of day.
    var hasDate: Bool
    /// Whether it says its zone.
    var hasZone: Bool
  }

  /// Reads a text; nil for anything else, and for days and hours that there are not.
  static func parts(_ text: UnsafeBufferPointer<UInt8>) -> Parts? {
    var reader = Reader(bytes: text)
    reader.skipBlanks()
    var days: Int64?
    if let date = reader.date() {
      days = date
      reader.skipSeparator()
    }
    guard !reader.isAtEnd || days != nil else { return nil }
    var time: Int64 = 0
    if !reader.isAtEnd {
      guard let read = reader.timeOfDay(isBasic: days != nil) else { return nil }
      time = read
    }
    reader.skipBlanks()
    let zone = reader.zone()
    reader.skipBlanks()
    guard reader.isAtEnd else { return nil }
    return Parts(
      nanoseconds: (days ?? 0) * 86_400_000_000_000 + time - (zone ?? 0) * 1_000_000_000, hasDate: days != nil,
      hasZone: zone != nil)
  }

  /// Whether a text is a date of which nobody can tell the day from the month.
  static func isAmbiguous(_ text: String) -> Bool {
    let head = text.prefix { $0.isNumber || $0 == "/" }
    let parts = head.split(separator: "/")
    return parts.count == 3 && parts[2].count == 4 && parts[0].count < 3
  }

  /// Days from 1970-01-01 to a date of the Gregorian calendar.
  private static func days(year: Int, month: Int, day: Int) -> Int64 {
    // Years from March on: the leap day is the last of its year.
    let y = month > 2 ? year : year - 1
    let m = month > 2 ? month - 3 : month + 9
    let leaps = y / 4 - y / 100 + y / 400
    // Days of the months before m, from March: 31, 30, 31, 30, 31, 31, 30, ...
    let before = (153 * m + 2) / 5
    return Int64(365 * y + leaps + before + day - 1 - 719_468)
  }

  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    var at = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }
    private func peek(_ offset: Int = 0) -> UInt8 { at + offset < bytes.count ? bytes[at + offset] : 0 }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

    /// How many digits begin here.
    private func digits() -> Int {
      var count = 0
      while Self.isDigit(peek(count)) { count += 1 }
      return count
    }

    private mutating func number(_ count: Int) -> Int {
      var value = 0
      for _ in 0..<count {
        value = value * 10 + Int(bytes[at] - 0x30)
        at += 1
      }
      return value
    }

    mutating func skipBlanks() { while peek() == 0x20 { at += 1 } }

    mutating func skipSeparator() {
      if [0x54, 0x74, 0x5F].contains(peek()) { at += 1 } else { skipBlanks() }
    }

    /// Days since 1970; nil, and nothing read, where no date begins here.
    mutating func date() -> Int64? {
      let start = at, first = digits()
      var year = 0, month = 0, day = 0
      if first == 8, [0x54, 0x74, 0x20, 0x5F, 0].contains(peek(8)) {
        (year, month, day) = (number(4), number(2), number(2))
      } else if first == 4, case let mark = peek(4), [0x2D, 0x2F, 0x2E].contains(mark) {
        year = number(4)
        at += 1
        guard (1...2).contains(digits()) else { return back(to: start) }
        month = number(digits())
        guard peek() == mark else { return back(to: start) }
        at += 1
        guard (1...2).contains(digits()) else { return back(to: start) }
        day = number(digits())
      } else if (1...2).contains(first), peek(first) == 0x2E {
        day = number(first)
        at += 1
        guard (1...2).contains(digits()), peek(digits()) == 0x2E else { return back(to: start) }
        month = number(digits())
        at += 1
        guard digits() == 4 else { return back(to: start) }
        year = number(4)
      } else {
        return nil
      }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      guard (1971...2200).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day) else {
        return back(to: start)
      }
      return CalendarTime.days(year: year, month: month, day: day)
    }

    private mutating func back(to start: Int) -> Int64? {
      at = start
      return nil
    }

    /// Nanoseconds since midnight. `isBasic`: also without colons.
    mutating func timeOfDay(isBasic: Bool) -> Int64? {
      var hour = 0, minute = 0, second = 0
      let first = digits()
      if (1...2).contains(first), peek(first) == 0x3A {
        hour = number(first)
        at += 1
        guard digits() == 2 else { return nil }
        minute = number(2)
        if peek() == 0x3A {
          at += 1
          guard digits() == 2 else { return nil }
          second = number(2)
        }
      } else if isBasic, first == 6 || first == 4 {
        (hour, minute) = (number(2), number(2))
        if first == 6 { second = number(2) }
      } else {
        return nil
      }
      var fraction: Int64 = 0
      if peek() == 0x2E || peek() == 0x2C {
        at += 1
        let count = digits()
        guard count > 0 else { return nil }
        for k in 0..<9 { fraction = fraction * 10 + (k < count ? Int64(bytes[at + k] - 0x30) : 0) }
        at += count
      }
      if let noon = half() {
        guard (1...12).contains(hour) else { return nil }
        hour = hour % 12 + (noon ? 12 : 0)
      }
      guard hour < 24, minute < 60, second <= 60 else { return nil }
      return Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000 + fraction
    }

    /// Whether AM or PM stands here: true for PM.
    private mutating func half() -> Bool? {
      var offset = 0
      while peek(offset) == 0x20 { offset += 1 }
      let (a, m) = (peek(offset) | 0x20, peek(offset + 1) | 0x20)
      guard m == 0x6D, a == 0x61 || a == 0x70 else { return nil }
      at += offset + 2
      return a == 0x70
    }

    /// Seconds ahead of UTC; nil without a zone.
    mutating func zone() -> Int64? {
      for name in ["Z", "z", "UTC", "GMT"] where bytes[at...].starts(with: name.utf8) {
        at += name.utf8.count
        return 0
      }
      guard peek() == 0x2B || peek() == 0x2D else { return nil }
      let sign: Int64 = peek() == 0x2B ? 1 : -1, start = at
      at += 1
      let count = digits()
      var hours = 0, minutes = 0
      if count == 4 {
        (hours, minutes) = (number(2), number(2))
      } else if count == 2 {
        hours = number(2)
        if peek() == 0x3A {
          at += 1
          guard digits() == 2 else {
            at = start
            return nil
          }
          minutes = number(2)
        }
      } else {
        at = start
        return nil
      }
      guard hours <= 18, minutes < 60 else {
        at = start
        return nil
      }
      return sign * Int64(hours * 3600 + minutes * 60)
    }
  }
}
