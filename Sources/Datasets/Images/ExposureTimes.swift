import JSONText

/// Exposure times, read in step with the list of images.
///
/// From `exposure.csv`, or from `times.txt` as in TUM's monocular datasets and TUM-VI's `dso` folder: name, seconds,
/// and exposure in milliseconds in each line. Both are in order of time.
final class ExposureTimes {
  private typealias Row = ExposureDecoder.Row
  private let read: () throws(DatasetError) -> Row?
  private var head: Row?
  private var hasBegun = false

  /// Timestamps that differ by less are equal, nanoseconds: text in seconds is rounded.
  private static let tolerance: Int64 = 1_000_000

  init(_ file: RecordingFile, isStrict: Bool) throws(DatasetError) {
    if file.path.hasSuffix(".txt") {
      let lines = try LineReader(path: file.path)
      read = { () throws(DatasetError) -> Row? in try Self.row(lines) }
    } else {
      let stream = try RowStream(file, ExposureDecoder(), isStrict: isStrict)
      read = { () throws(DatasetError) -> Row? in try stream.next() }
    }
  }

  /// The exposure of the image with that stamp, seconds; nil where the file has none. Stamps must rise from call to
  /// call.
  func exposure(at time: Int64) throws(DatasetError) -> Double? {
    if !hasBegun {
      hasBegun = true
      head = try read()
    }
    while let row = head, row.time < time - Self.tolerance { head = try read() }
    guard let row = head, row.time <= time + Self.tolerance else { return nil }
    return row.exposure
  }

  private static func row(_ lines: LineReader) throws(DatasetError) -> Row? {
    while let bytes = try lines.next() {
      let words = bytes.split { $0 == 0x20 || $0 == 0x09 }
      guard let first = words.first, first.first != 0x23 else { continue }
      guard words.count == 3, let time = nanoseconds(words[1]),
        case .number(let exposure) = NumberText.double(words[2].base.baseAddress! + words[2].startIndex, words[2].count),
        (0...1e4).contains(exposure)
      else {
        throw DatasetError(
          file: lines.path, line: lines.line, found: "a line that is not a name, seconds and milliseconds",
          expected: "a name, a time [s] and an exposure [ms]")
      }
      return Row(time: time, exposure: exposure * 1e-3)
    }
    return nil
  }

  /// Seconds as text to whole nanoseconds: a Double of seconds since 1970 is too coarse.
  private static func nanoseconds(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
    let parts = text.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
    func isDigits(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> Bool { part.allSatisfy { (0x30...0x39).contains($0) } }
    guard let whole = parts.first, (1...10).contains(whole.count), isDigits(whole),
      parts.count == 1 || isDigits(parts[1])
    else { return nil }
    var value: Int64 = 0
    for digit in whole { value = value * 10 + Int64(digit - 0x30) }
    guard value < 4_000_000_000 else { return nil }
    let decimals = parts.count > 1 ? Array(parts[1].prefix(9)) : []
    for digit in 0..<9 { value = value * 10 + (digit < decimals.count ? Int64(decimals[digit] - 0x30) : 0) }
    return value
  }
}

/// `cam0/exposure.csv` as Basalt's tools and TUM-VI's successors write it: a stamp and how long that image was exposed.
private struct ExposureDecoder: RowDecoder {
  /// One image's exposure.
  struct Row {
    var time: Int64
    /// Seconds.
    var exposure: Double
  }

  /// The published header has a blank in the name; `frames.csv` has an underscore.
  static let columns =
    Column.time + ["exposure time", "exposure_time"].map { Column($0, "ns", needed: false, bounds: 0...1e10) }

  mutating func decode(_ table: TableReader) throws(RowFault) -> Row {
    let column = table.has(3) ? 3 : 2
    guard let value = try table.numberIfAny(column) else { throw RowFault(kind: .emptyCell, column: column) }
    return Row(time: table.time, exposure: value * 1e-9)
  }
}
