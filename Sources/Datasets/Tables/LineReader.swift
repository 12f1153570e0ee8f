import Foundation

/// Reads a file line by line through one fixed buffer: memory does not grow with the file.
///
/// Not memory-mapped: a mapped file that another process truncates kills the reader.
package final class LineReader {
  /// Largest length of a line, bytes.
  static let longestLine = 64 * 1024

  package let path: String
  /// Size when opened, bytes.
  package let size: Int64
  /// Number of the line last returned, from 1.
  // Lines are read by one caller at a time: checks of exclusive access cost more than finding the line.
  @exclusivity(unchecked) package private(set) var line = 0
  /// Bytes consumed so far.
  @exclusivity(unchecked) package private(set) var consumed: Int64 = 0
  /// False when the line last returned ended with the file instead of an end of line.
  @exclusivity(unchecked) package private(set) var isTerminated = true

  private let descriptor: Int32
  private let buffer: UnsafeMutablePointer<UInt8>
  private let capacity = 256 * 1024
  @exclusivity(unchecked) private var start = 0
  @exclusivity(unchecked) private var end = 0
  @exclusivity(unchecked) private var atEnd = false
  /// The line last returned.
  @exclusivity(unchecked) private var current = 0..<0

  /// Opens a regular file; throws for anything else.
  package init(path: String) throws(DatasetError) {
    self.path = path
    (descriptor, size) = try RegularFile.open(path)
    buffer = .allocate(capacity: capacity)
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// The next line without its end (LF or CR LF), valid until the next call; nil at the end of the file.
  package func next() throws(DatasetError) -> UnsafeBufferPointer<UInt8>? {
    while true {
      if let newline = memchr(buffer + start, 0x0A, end - start) {
        let stop = newline.assumingMemoryBound(to: UInt8.self) - buffer
        return try line(until: stop, skipping: 1)
      }
      if atEnd {
        guard start < end else { return nil }
        isTerminated = false
        return try line(until: end, skipping: 0)
      }
      guard end - start <= Self.longestLine else { throw tooLong() }
      try fill(from: start)
    }
  }

  /// Shows the lines behind the current one, without taking them, until `body` returns false: as many as fit the buffer
  /// beside the current one, which is returned where it is then.
  func peek(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> UnsafeBufferPointer<UInt8> {
    var at = start
    while true {
      while let newline = memchr(buffer + at, 0x0A, end - at) {
        let stop = newline.assumingMemoryBound(to: UInt8.self) - buffer
        guard body(UnsafeBufferPointer(start: buffer + at, count: stop - at)) else { return currentLine }
        at = stop + 1
      }
      let begin = current.lowerBound
      // A file that cannot be read on is the next line's error.
      guard !atEnd, begin > 0 || end < capacity, (try? fill(from: begin)) != nil else { break }
      at -= begin
    }
    if atEnd, at < end { _ = body(UnsafeBufferPointer(start: buffer + at, count: end - at)) }
    return currentLine
  }

  private var currentLine: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: buffer + current.lowerBound, count: current.count)
  }

  private func line(until stop: Int, skipping terminator: Int) throws(DatasetError) -> UnsafeBufferPointer<UInt8> {
    guard stop - start <= Self.longestLine else { throw tooLong() }
    var first = start
    var last = stop
    if last > first, buffer[last - 1] == 0x0D { last -= 1 }
    if line == 0, last - first >= 3, buffer[first] == 0xEF, buffer[first + 1] == 0xBB, buffer[first + 2] == 0xBF {
      first += 3  // UTF-8 byte order mark
    }
    consumed += Int64(stop + terminator - start)
    start = stop + terminator
    line += 1
    current = first..<last
    return currentLine
  }

  private func tooLong() -> DatasetError {
    DatasetError(
      file: path, line: line + 1, found: "a line of more than \(Self.longestLine) bytes", expected: "lines of text")
  }

  /// Reads more behind what is kept from `begin` on.
  private func fill(from begin: Int) throws(DatasetError) {
    if begin > 0 {
      memmove(buffer, buffer + begin, end - begin)
      end -= begin
      start -= begin
      current = max(current.lowerBound - begin, 0)..<max(current.upperBound - begin, 0)
    }
    let count = try RegularFile.read(descriptor, into: buffer + end, capacity - end, path: path)
    if count == 0 { atEnd = true }
    end += count
  }
}

/// The cells of a row of text: where each of them ends.
package struct RowCells: ~Copyable {
  /// Cells of a whole row.
  package let width: Int
  /// What separates them.
  package let mark: UInt8
  @usableFromInline let ends: UnsafeMutablePointer<Int>

  /// Cells of rows of so many, which a byte separates.
  package init(width: Int, mark: UInt8 = UInt8(ascii: ",")) {
    (self.width, self.mark) = (width, mark)
    ends = .allocate(capacity: max(1, width))
    ends.initialize(repeating: 0, count: max(1, width))
  }

  deinit { ends.deallocate() }

  /// Splits a row, which is not empty; returns how many cells it has.
  @inline(__always) @inlinable
  package func split(_ row: UnsafeBufferPointer<UInt8>) -> Int {
    let base = row.baseAddress!, width = width, mark = mark, ends = ends
    var cell = 0
    for i in 0..<row.count where base[i] == mark {
      if cell < width { ends[cell] = i }
      cell += 1
    }
    if cell < width { ends[cell] = row.count }
    return cell + 1
  }

  /// The same of a row whose cells are separated by blanks, however many.
  package func splitAtBlanks(_ row: UnsafeBufferPointer<UInt8>) -> Int {
    var cell = 0, i = 0
    while true {
      while i < row.count, row[i] == 0x20 || row[i] == 0x09 { i += 1 }
      if i == row.count { return cell }
      while i < row.count, row[i] != 0x20, row[i] != 0x09 { i += 1 }
      if cell < width { ends[cell] = i }
      cell += 1
    }
  }

  /// The bytes of a cell without the blanks, and the quotes if they are to go, around it.
  @inline(__always) @inlinable
  package func cell(
    _ index: Int, of row: UnsafeBufferPointer<UInt8>, unquoted: Bool = false
  ) -> (start: UnsafePointer<UInt8>, count: Int) {
    let base = row.baseAddress!
    func isAround(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || unquoted && byte == 0x22 }
    var first = index == 0 ? 0 : ends[index - 1] + 1
    var last = ends[index]
    while first < last, isAround(base[first]) { first += 1 }
    while last > first, isAround(base[last - 1]) { last -= 1 }
    return (base + first, last - first)
  }
}
