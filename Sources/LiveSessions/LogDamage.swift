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
