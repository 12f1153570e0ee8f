import JSONText
import SensorData

/// Reads the first and the last timestamp of a table from the file's ends.
enum FileEnd {
  /// The last timestamp in the file; nil where the end is no table.
  static func lastTimestamp(_ file: RecordingFile) throws(DatasetError) -> Timestamp? {
    let (table, _) = try opened(file)
    guard let table else { return nil }
    let (bytes, _) = try RegularFile.tail(file.path, count: LineReader.longestLine)
    for line in bytes.split(separator: 0x0A).reversed() {
      if let stamp = timestamp(line, table) { return stamp }
    }
    return nil
  }

  /// The first timestamp in the file; nil where none of its first rows has one.
  static func firstTimestamp(_ file: RecordingFile) throws(DatasetError) -> Timestamp? {
    let (table, lines) = try opened(file)
    guard let table else { return nil }
    for _ in 0..<100 {
      guard let line = try lines.next() else { return nil }
      if let stamp = timestamp(Array(line)[...], table) { return stamp }
    }
    return nil
  }

  private static func opened(_ file: RecordingFile) throws(DatasetError) -> (TableHeader?, LineReader) {
    let lines = try LineReader(path: file.path)
    guard let first = try lines.next() else { return (nil, lines) }
    return (try TableHeader(first, path: file.path, line: 1, columns: Column.time), lines)
  }

  private static func timestamp(_ line: ArraySlice<UInt8>, _ table: TableHeader) -> Timestamp? {
    let row = line.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard row.count == table.count else { return nil }
    let cell = row[table.indices[0]].filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    let value = cell.withUnsafeBufferPointer { $0.baseAddress.flatMap { NumberText.integer($0, cell.count) } }
    guard let value, abs(value) < 1 << 62 else { return nil }
    return Timestamp(nanoseconds: value)
  }
}
