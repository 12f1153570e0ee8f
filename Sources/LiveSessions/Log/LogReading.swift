import Foundation

/// Reads a log, whole and in order, past whatever is damaged. Changes nothing.
package struct LogReading {
  /// Where a record is.
  package struct Place: Equatable, Comparable, Sendable {
    /// The segment's number.
    package var segment: Int
    /// Where the record begins.
    package var offset: Int

    /// A place from its parts.
    package init(segment: Int, offset: Int) { (self.segment, self.offset) = (segment, offset) }

    package static func < (a: Place, b: Place) -> Bool { (a.segment, a.offset) < (b.segment, b.offset) }
  }

  /// What is found.
  package enum Found: Sendable {
    /// A whole record.
    case record(LogRecord, Place)
    /// A place that is not as it was written.
    case damage(LogDamage)
  }

  /// One segment of a log.
  package struct Segment: Equatable, Sendable {
    /// Its number.
    package var number: Int
    /// Its size, bytes.
    package var size: Int
    /// The version in its header; nil where no line of the header is whole.
    package var version: String?
    /// Its format.
    package var format: Int
    /// Records in it that are whole.
    package var records = 0
    /// What is damaged in it.
    package var damage: [LogDamage] = []
    /// Where the tail begins that is no whole record; of the last segment only.
    package var tail: Int?
  }

  /// The log's folder.
  package let folder: String
  /// Its segments, in order.
  package private(set) var segments: [Segment] = []
  /// Segments that should be there and are not.
  package private(set) var missing: [LogDamage] = []
  /// Segments that compactions have removed.
  private var removed: [ClosedRange<Int>] = []

  /// Reads the log of a folder; `visit` gets everything in the order in which it was written, segments that are missing last.
  ///
  /// - Throws: `LogError.file` where the folder or a segment cannot be read.
  package init(folder: String, visit: (Found) throws -> Void) throws {
    self.folder = folder
    let numbers = try Self.numbers(folder)
    for number in numbers { segments.append(try read(number, isLast: number == numbers.last, visit)) }
    // A compaction of format 1 did not say what it removed.
    guard let last = numbers.last, segments.allSatisfy({ $0.format == 2 }) else { return }
    let known = Set(numbers)
    for number in 1...last where !known.contains(number) && !removed.contains(where: { $0.contains(number) }) {
      missing.append(LogDamage(segment: number, range: 0..<0, cause: .missing))
      try visit(.damage(missing.last!))
    }
  }

  /// The numbers of the segments in a folder, in order.
  static func numbers(_ folder: String) throws(LogError) -> [Int] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw .file(path: folder, cause: "cannot be listed, expected the folder of a log")
    }
    return names.compactMap { name in name.hasSuffix(".log") ? Int(name.dropLast(4)) : nil }.filter { $0 > 0 }.sorted()
  }

  private mutating func read(_ number: Int, isLast: Bool, _ visit: (Found) throws -> Void) throws -> Segment {
    let (bytes, unreadable) = try SegmentFile.read("\(folder)/\(LogDamage.name(number))")
    return try bytes.withUnsafeBytes { bytes in
      let header = LogFormat.header(bytes)
      var segment = Segment(
        number: number, size: bytes.count, version: header?.version, format: header?.format ?? Self.format(bytes))
      var items: [LogScan.Item] = []
      var at = header?.length ?? 0
      // A header that is damaged as a whole is bytes that say nothing, in front of the records.
      while let item = LogScan.item(bytes, at: at, format: segment.format) {
        items.append(item)
        at = item.range.upperBound
      }
      // With a version of a usual length; fewer bytes than a header and a record have.
      let longestHeader = segment.format == 1 ? 32 : 80
      let whole = items.lastIndex { $0.record != nil }
      let tailIndex = isLast ? (whole.map { $0 + 1 } ?? 0) : items.count
      if isLast, tailIndex < items.count { segment.tail = items[tailIndex].range.lowerBound }
      if header?.isMended == true {
        try tell(LogDamage(segment: number, range: 0..<header!.length, cause: .header), &segment, visit)
      }
      for (index, item) in items.enumerated() {
        if let cause = item.cause {
          let isUnread = item.record == nil && unreadable.contains { $0.overlaps(item.range) }
          let isHeader = index == 0 && header == nil && item.range.count <= longestHeader && index < tailIndex
          try tell(
            LogDamage(
              segment: number, range: item.range, cause: isUnread ? .unreadable : isHeader ? .header : cause,
              identity: item.identity, isTail: index >= tailIndex), &segment, visit)
        }
        if let record = item.record {
          segment.records += 1
          if record.kind == .removed { removed += SegmentList.runs(record.payload) }
          try visit(.record(record, Place(segment: number, offset: item.range.lowerBound)))
        }
      }
      return segment
    }
  }

  private func tell(_ damage: LogDamage, _ segment: inout Segment, _ visit: (Found) throws -> Void) rethrows {
    segment.damage.append(damage)
    try visit(.damage(damage))
  }

  /// The format of a segment without a header: that of which it has records.
  private static func format(_ bytes: UnsafeRawBufferPointer) -> Int {
    var at = 0
    while let item = LogScan.item(bytes, at: at, format: 2) {
      if item.record != nil || item.identity != nil { return 2 }
      at = item.range.upperBound
    }
    at = 0
    while let item = LogScan.item(bytes, at: at, format: 1) {
      if item.record != nil { return 1 }
      at = item.range.upperBound
    }
    return 2
  }

  /// What is damaged, in order.
  package var damage: [LogDamage] { segments.flatMap(\.damage) + missing }

  /// The versions that wrote it.
  package var versions: [String] { Set(segments.compactMap(\.version)).sorted() }
}

/// Reads the bytes of a segment past whatever is damaged: no I/O, and nothing is left out. Linear in the segment's length.
package enum LogScan {
  /// A stretch of a segment: a record that is whole, or bytes that are none.
  package struct Item: Equatable, Sendable {
    /// Its bytes.
    package var range: Range<Int>
    /// The record, where its payload is whole.
    package var record: LogRecord?
    /// What is damaged; nil where nothing is.
    package var cause: LogDamage.Cause?
    /// Whose record it was, where one of its two heads says so.
    package var identity: LogDamage.Identity?
  }

  /// The stretch that begins at an offset; nil at the end.
  package static func item(_ bytes: UnsafeRawBufferPointer, at offset: Int, format: Int) -> Item? {
    guard offset < bytes.count else { return nil }
    return format == 1 ? first(bytes, offset) : second(bytes, offset)
  }

  // MARK: format 2

  private static func second(_ bytes: UnsafeRawBufferPointer, _ begin: Int) -> Item {
    let size = LogFormat.Head.size
    if let head = LogFormat.Head(bytes, at: begin, .front) {
      let end = begin + size + head.length + size
      if end <= bytes.count {
        let back = LogFormat.Head(bytes, at: end - size, .back)
        if let record = head.record(.init(rebasing: bytes[begin + size..<end - size])) {
          return Item(range: begin..<end, record: record, cause: back == head ? nil : .mended)
        }
        if back == head || LogFormat.Head(bytes, at: end, .front) != nil || end == bytes.count {
          return Item(range: begin..<end, cause: .payload, identity: .init(head))
        }
      }
      // Its end is not where it should be: bytes are missing, or there are more.
      switch next(bytes, after: begin) {
      case .front(let at)?: return Item(range: begin..<at, cause: .payload, identity: .init(head))
      case .back(let at, let other)?:
        let own = other == head ? at + size : max(begin + 1, at - size - other.length)
        return Item(range: begin..<min(own, bytes.count), cause: .payload, identity: .init(head))
      case nil: return Item(range: begin..<bytes.count, cause: .cutOff, identity: .init(head))
      }
    }
    switch next(bytes, after: begin) {
    case .front(let at)?: return Item(range: begin..<at, cause: .unknown)
    case .back(let at, let head)?:
      let own = at - size - head.length
      if own > begin { return Item(range: begin..<own, cause: .unknown) }
      // Where the record begins elsewhere, a part of it is gone.
      let payload = max(begin, own) + size..<max(begin + size, at)
      if own == begin, let record = head.record(.init(rebasing: bytes[payload])) {
        return Item(range: begin..<at + size, record: record, cause: .mended)
      }
      return Item(range: begin..<at + size, cause: .payload, identity: .init(head))
    case nil:
      // A file that was made longer and not written reads as zeros.
      let isCut = bytes.count - begin < size || bytes[begin...].allSatisfy { $0 == 0 }
      return Item(range: begin..<bytes.count, cause: isCut ? .cutOff : .unknown)
    }
  }

  private enum Found {
    case front(Int)
    case back(Int, LogFormat.Head)
  }

  /// The next head behind an offset, at whatever byte.
  private static func next(_ bytes: UnsafeRawBufferPointer, after begin: Int) -> Found? {
    var at = begin + 1
    while at + LogFormat.Head.size <= bytes.count {
      // The last byte of both marks.
      if bytes[at + 3] == 0x02 {
        if LogFormat.Head(bytes, at: at, .front) != nil { return .front(at) }
        if let head = LogFormat.Head(bytes, at: at, .back) { return .back(at, head) }
      }
      at += 1
    }
    return nil
  }

  // MARK: format 1

  private static func first(_ bytes: UnsafeRawBufferPointer, _ begin: Int) -> Item {
    if let (record, next) = LogFormat1.record(bytes, at: begin) { return Item(range: begin..<next, record: record) }
    var at = begin + 1
    while at + LogFormat1.overhead <= bytes.count {
      if LogFormat1.record(bytes, at: at) != nil { return Item(range: begin..<at, cause: .unknown) }
      at += 1
    }
    let isCut: Bool
    if bytes.count - begin < LogFormat1.overhead {
      isCut = true
    } else {
      let length = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: begin, as: UInt32.self))
      isCut = length >= 25 && length <= LogFormat.largest && begin + 8 + Int(length) > bytes.count
    }
    return Item(range: begin..<bytes.count, cause: isCut ? .cutOff : .unknown)
  }
}

extension LogDamage.Identity {
  init(_ head: LogFormat.Head) { self.init(kind: head.kind, session: head.session, sequence: head.sequence) }
}

/// A place of the log that is not as it was written.
package struct LogDamage: Equatable, Sendable {
  /// What is damaged there.
  package enum Cause: Equatable, Sendable {
    /// One of the two lines at the segment's beginning, or both: no record.
    case header
    /// One of a record's two heads: the record is whole.
    case mended
    /// A record's payload: the record is lost.
    case payload
    /// Bytes that say nothing: one record or more.
    case unknown
    /// A record whose end is missing.
    case cutOff
    /// The disk does not give them.
    case unreadable
    /// The whole segment is not there.
    case missing
  }

  /// Whose record it was.
  package struct Identity: Equatable, Sendable {
    /// What it said.
    package var kind: LogRecord.Kind
    /// The session's number in this log.
    package var session: UInt64
    /// The batch's number.
    package var sequence: UInt64

    /// An identity from its parts.
    package init(kind: LogRecord.Kind, session: UInt64, sequence: UInt64) {
      (self.kind, self.session, self.sequence) = (kind, session, sequence)
    }
  }

  /// The segment's number.
  package var segment: Int
  /// Its bytes in the segment.
  package var range: Range<Int>
  /// What is damaged.
  package var cause: Cause
  /// Whose record it was, where that is known.
  package var identity: Identity?
  /// Whether it is the tail of the log: behind the last whole record of the last segment. Only that is ever cut.
  package var isTail = false

  /// A damage from its parts.
  package init(segment: Int, range: Range<Int>, cause: Cause, identity: Identity? = nil, isTail: Bool = false) {
    self.segment = segment
    self.range = range
    self.cause = cause
    self.identity = identity
    self.isTail = isTail
  }

  /// Whether a record is lost by it.
  package var losesRecords: Bool { cause != .header && cause != .mended }

  /// Whether it is what a death of the process leaves: the last write, not finished and so not acknowledged.
  package var isTornWrite: Bool { isTail && cause == .cutOff }

  /// The file's name in the log's folder.
  package static func name(_ segment: Int) -> String {
    String(repeating: "0", count: max(0, 10 - "\(segment)".count)) + "\(segment).log"
  }

  /// Where and what, without whose.
  package var words: String {
    let place = "\(Self.name(segment)), bytes \(range.lowerBound) to \(range.upperBound)"
    return switch cause {
    case .header: "\(place): the segment's beginning is damaged, no record is lost"
    case .mended: "\(place): one of a record's two heads is damaged, the record is whole"
    case .payload: "\(place): a record is damaged"
    case .unknown: "\(place): bytes that are no record: one or more are lost"
    case .cutOff: "\(place): a record without its end"
    case .unreadable: "\(place): the disk cannot read them"
    case .missing: "\(Self.name(segment)): the segment is not there, and no compaction has removed it"
    }
  }
}
