import Datasets
import JSONText

/// Cuts a stream of bytes into lines, in memory bounded by the longest line. Has no I/O.
package struct LineSplitter: Sendable {
  private var rest: [UInt8] = []
  private var scanned = 0
  private var consumed = 0

  /// A splitter without bytes.
  package init() {}

  /// Adds bytes behind those not yet returned.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if consumed > 0 {
      rest.removeFirst(consumed)
      scanned -= consumed
      consumed = 0
    }
    rest.append(contentsOf: bytes)
  }

  /// Calls `body` with the next whole line, without its line break; false where there is none yet.
  ///
  /// - Throws: `TextFault` where the line is already too long, and what `body` throws.
  package mutating func next(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Bool {
    while scanned < rest.count {
      if rest[scanned] == 0x0A {
        let (begin, end) = (consumed, scanned)
        scanned += 1
        consumed = scanned
        try rest.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[begin..<end])) }
        return true
      }
      scanned += 1
    }
    if scanned - consumed > LineParser.longestLine {
      throw TextFault(
        found: "a line of more than \(LineParser.longestLine) bytes", expected: "at most \(LineParser.longestLine)")
    }
    return false
  }

  /// Calls `body` with what is left behind the last line break, if anything is.
  package mutating func finish(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    guard consumed < rest.count else { return }
    let begin = consumed
    consumed = rest.count
    scanned = consumed
    try rest.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[begin...])) }
  }
}
