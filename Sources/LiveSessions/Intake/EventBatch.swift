import Datasets
import EventLines
import JSONText
import SensorData

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
      StreamFault(source: "body", line: line, fault: TextFault(found: found, expected: expected))
    }
    try bytes.withUnsafeBufferPointer { all in
      var begin = 0
      while begin < all.count {
        var end = begin
        while end < all.count, all[end] != 0x0A { end += 1 }
        line += 1
        let parsed: ParsedLine
        do throws(TextFault) { parsed = try parser.parse(UnsafeBufferPointer(rebasing: all[begin..<end])) } catch {
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

extension EventAdmission {
  /// Reason of poses that are left out because the trajectory is not from odometry.
  package static let unusedPose = "unusedPose"

  /// What was left out so far, by reason.
  package var skipped: [String: Int] {
    var counts: [String: Int] = unusedPoses > 0 ? [Self.unusedPose: unusedPoses] : [:]
    for kinds in damage.values { for (kind, count) in kinds { counts[kind.rawValue, default: 0] += count } }
    return counts
  }

  /// Counts what is left out by a batch, and by the end of the stream where `isEnd`; by reason.
  mutating func skip(_ batch: EventBatch?, isEnd: Bool) -> [String: Int] {
    let before = skipped
    var entering: [TimedEvent] = []
    for parsed in batch?.events ?? [] { admit(parsed, into: &entering) }
    if isEnd { finish(into: &entering) }
    var new = skipped
    for (reason, count) in before { new[reason] = new[reason]! == count ? nil : new[reason]! - count }
    return new
  }
}

/// What was left out, in words for the sender: what, how many, what to do.
enum SkipWords {
  static func lines(_ admission: EventAdmission) -> [String] {
    var lines = admission.damage.sorted { $0.key < $1.key }.map { stream, kinds in
      let all = kinds.sorted { $0.key < $1.key }
      let words = all.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")
      let advices = Set(all.map { advice($0.key) }).sorted().joined(separator: "; ")
      return "\(stream.rawValue): \(all.reduce(0) { $0 + $1.value }) of \(admission.rows[stream] ?? 0) measurements "
        + "are not used (\(words)): \(advices)"
    }
    if admission.unusedPoses > 0 {
      lines.append(
        "pose: \(admission.unusedPoses) are not used: the trajectory is visualInertial; create the session with "
          + "the trajectory odometry, or send none")
    }
    return lines
  }

  private static func advice(_ kind: DamageKind) -> String {
    switch kind {
    case .timeGoingBack: "send each stream in the order of its stamps, on one clock, or with an arrival"
    case .futureStamp: "look where the sender takes its stamps from: one clock for all"
    case .duplicate: "send each measurement once"
    case .unknownAntenna: "name the antennas in rig.uwb0"
    case .negativeRange, .notMeasured: "send no range where none was measured"
    default: "send values within the bounds of docs/formats.md"
    }
  }
}

/// The order of batches in a session: a pure state machine.
///
/// Numbers count from 0. A batch is taken when its number is the next one; an older one was taken before and changes
/// nothing; a newer one must wait for those in front of it.
package struct SessionProtocol: Equatable, Sendable {
  /// What to do with a batch or a call.
  package enum Decision: Equatable, Sendable {
    /// Take it.
    case take
    /// It was taken before: acknowledge where it is the same, count nothing.
    case repeated
    /// Refuse: the next number is expected.
    case early(next: UInt64)
    /// Refuse: the results are final.
    case finished
  }

  /// The number of the next batch.
  package private(set) var next: UInt64 = 0
  /// Whether the results are final.
  package private(set) var isFinished = false
  /// Whether a line `end` was read.
  package private(set) var hasEnded = false

  /// A session without batches.
  package init() {}

  /// What becomes of a batch with this number.
  package func decide(_ sequence: UInt64) -> Decision {
    if sequence < next { return .repeated }
    if isFinished { return .finished }
    return sequence > next ? .early(next: next) : .take
  }

  /// The next batch was taken. `ends`: it closes the stream.
  package mutating func take(ends: Bool) {
    next += 1
    hasEnded = hasEnded || ends
  }

  /// The results are final from here on.
  package mutating func finish() { isFinished = true }
}
