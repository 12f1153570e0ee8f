import SensorData

/// Reads the last timestamp of a table from the file's end.
enum FileEnd {
  /// The last timestamp in the file; nil where the end is no table.
  static func lastTimestamp(_ file: RecordingFile) throws(DatasetError) -> Timestamp? {
    let header = try LineReader(path: file.path)
    guard let first = try header.next() else { return nil }
    let table = try TableHeader(first, path: file.path, line: 1, columns: Column.time)
    let (bytes, _) = try RegularFile.tail(file.path, count: LineReader.longestLine)
    for line in bytes.split(separator: 0x0A).reversed() {
      let row = line.split(separator: 0x2C, omittingEmptySubsequences: false)
      guard row.count == table.count else { continue }
      let cell = row[table.indices[0]].filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
      let value = cell.withUnsafeBufferPointer { $0.baseAddress.flatMap { NumberText.integer($0, cell.count) } }
      if let value, abs(value) < 1 << 62 { return Timestamp(nanoseconds: value) }
    }
    return nil
  }
}
