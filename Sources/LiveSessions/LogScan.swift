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
