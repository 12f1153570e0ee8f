/// One record of the write-ahead log.
package struct LogRecord: Equatable, Sendable {
  /// What it says.
  package enum Kind: UInt8, Sendable {
    /// A session begins; the payload describes it.
    case create = 1
    /// A batch of event lines.
    case batch = 2
    /// The session's results are final.
    case finish = 3
    /// The session and its data are gone.
    case delete = 4
    /// Segments that a compaction has removed; of no session. The payload is a `SegmentList`.
    case removed = 5
  }

  /// What it says.
  package var kind: Kind
  /// The session's number in this log, from 1.
  package var session: UInt64
  /// The batch's number in its session; of `finish`, the number of batches.
  package var sequence: UInt64
  /// When it arrived, nanoseconds of the host's clock since 1970; for people, no result depends on it.
  package var arrival: Int64
  /// The bytes.
  package var payload: [UInt8]

  /// A record from its parts.
  package init(kind: Kind, session: UInt64, sequence: UInt64 = 0, arrival: Int64, payload: [UInt8] = []) {
    self.kind = kind
    self.session = session
    self.sequence = sequence
    self.arrival = arrival
    self.payload = payload
  }
}

/// Numbers of segments as text: `1-57,60`.
enum SegmentList {
  static func text(_ numbers: Set<Int>) -> String {
    var runs: [ClosedRange<Int>] = []
    for number in numbers.sorted() {
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
  }

  /// The runs of numbers; what is none is left out.
  static func runs(_ text: [UInt8]) -> [ClosedRange<Int>] {
    String(decoding: text, as: UTF8.self).split(separator: ",").compactMap { run in
      let ends = run.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last else { return nil }
      return first...last
    }
  }
}
