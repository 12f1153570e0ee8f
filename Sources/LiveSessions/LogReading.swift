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
