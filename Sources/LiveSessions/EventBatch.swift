import EventLines

/// A batch of event lines whose structure is sound.
package struct EventBatch: Sendable {
  /// Its measurements, in order.
  package private(set) var events: [ParsedEvent] = []
  /// Whether it closes the stream.
  package private(set) var ends = false
  /// Warnings, one line each.
  package private(set) var warnings: [String] = []
  /// The bytes.
  package let bytes: [UInt8]

  /// A batch that was accepted, perhaps when lines could be longer.
  package init(accepted bytes: [UInt8]) throws { try self.init(bytes, longestLine: .max) }

  /// Parses a batch with lines up to a number of bytes.
  ///
  /// - Throws: `StreamFault` with the line's number, what was found and what was expected.
  package init(_ bytes: [UInt8], longestLine: Int = LineParser.longestLine) throws {
    self.bytes = bytes
    var parser = LineParser(longestLine: longestLine)
    var line = 0
    var found: [ParsedEvent] = []
    var ended = false
    func fault(_ found: String, _ expected: String) -> StreamFault {
      StreamFault(source: "body", line: line, fault: LineFault(found: found, expected: expected))
    }
    try bytes.withUnsafeBufferPointer { all in
      var begin = 0
      while begin < all.count {
        var end = begin
        while end < all.count, all[end] != 0x0A { end += 1 }
        line += 1
        let parsed: ParsedLine
        do throws(LineFault) { parsed = try parser.parse(UnsafeBufferPointer(rebasing: all[begin..<end])) } catch {
          throw StreamFault(source: "body", line: line, fault: error)
        }
        begin = end + 1
        switch parsed {
        case .blank: break
        case _ where ended: throw fault("a line behind the end", "nothing behind {\"end\":{}}")
        case .header: throw fault("a header", "events: the session has its header")
        case .events(let events): found += events
        case .end: ended = true
        }
      }
    }
    events = found
    ends = ended
    warnings = parser.takeWarnings()
  }
}
