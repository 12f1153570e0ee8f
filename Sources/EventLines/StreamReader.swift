import Datasets
import FuseCaptureFormat
import JSONText
import SensorData
import Wording

/// A fault in a stream of lines: which line, what was found and what was expected.
package struct StreamFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// What the stream is from.
  package var source: String
  /// The line, from 1.
  package var line: Int
  /// What was found and what was expected.
  package var fault: TextFault

  /// A fault from its parts.
  package init(source: String, line: Int, fault: TextFault) {
    self.source = source
    self.line = line
    self.fault = fault
  }

  package var description: String { "error: \(source):\(line): \(fault.found), expected \(fault.expected)" }
}

/// Reads a stream line by line: header, events, end. Has no I/O.
package struct StreamReader: Sendable {
  /// What the stream is from, for messages.
  package let source: String
  /// Lines read.
  package private(set) var line = 0
  /// The header, once read.
  package private(set) var header: StreamHeader?
  /// Whether the last line was read: the stream is complete.
  package private(set) var hasEnded = false
  /// What was left out.
  package private(set) var admission: EventAdmission?
  private var parser = LineParser()
  private var headerWarnings: [String] = []

  /// A reader at the first line.
  package init(source: String) { self.source = source }

  /// Warnings not yet taken, each once.
  package mutating func takeWarnings() -> [String] {
    defer { headerWarnings = [] }
    return headerWarnings + parser.takeWarnings().map { "\(source):\(line): \($0)" }
  }

  /// Reads a line, without its line break, and appends the events that enter the session.
  ///
  /// - Throws: `StreamFault` for a line whose structure is wrong, a first line that is no header, another header, and
  ///   a line behind the end; `DatasetError` for a wrong calibration.
  package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, into events: inout [TimedEvent]) throws {
    line += 1
    let parsed: ParsedLine
    do throws(TextFault) { parsed = try parser.parse(bytes) } catch {
      throw StreamFault(source: source, line: line, fault: error)
    }
    switch parsed {
    case .blank: break
    case _ where hasEnded: throw fault("a line behind the end", "nothing behind {\"end\":{}}")
    case .header(let tree):
      guard header == nil else { throw fault("a second header", "events") }
      let (header, warnings) = try StreamHeader.read(tree, source: source, line: line)
      self.header = header
      headerWarnings += warnings
      admission = EventAdmission(rig: header.rig, usesOdometry: header.trajectory == .odometry)
    case .events(let found):
      guard admission != nil else { throw fault("an event", "the header first: {\"version\":1,\"trajectory\":...}") }
      for event in found { admission!.admit(event, into: &events) }
    case .end:
      guard admission != nil else { throw fault("the end", "the header first: {\"version\":1,\"trajectory\":...}") }
      hasEnded = true
      admission!.finish(into: &events)
    }
  }

  /// Nothing more comes, with or without a last line: appends what waited.
  package mutating func finish(into events: inout [TimedEvent]) { admission?.finish(into: &events) }

  private func fault(_ found: String, _ expected: String) -> StreamFault {
    StreamFault(source: source, line: line, fault: TextFault(found: found, expected: expected))
  }
}

extension StreamHeader {
  /// A header from the tree of its line, with warnings.
  ///
  /// - Parameter alsoKnown: further keys that the caller reads.
  package static func read(
    _ tree: JSONValue, source: String, line: Int, alsoKnown: [String] = []
  ) throws -> (StreamHeader, warnings: [String]) {
    func fault(_ found: String, _ expected: String) -> StreamFault {
      StreamFault(source: source, line: line, fault: TextFault(found: found, expected: expected))
    }
    guard case .object(let members) = tree else { throw fault("no object", "{\"version\":1,...}") }
    guard let version = tree["version"] else { throw fault("no key version", "\"version\":\(Self.version)") }
    guard version == .integer(Self.version) else {
      throw fault("version \(String(decoding: version.bytes.prefix(40), as: UTF8.self))", "version \(Self.version)")
    }
    var warnings: [String] = []
    let known = ["version", "trajectory", "rig"] + alsoKnown
    for key in members.map(\.key) where !known.contains(key) {
      if let intended = Spelling.intended(key, among: known) {
        throw fault("key '\(key)'", "'\(intended)' (misspelt?)")
      }
      warnings.append("\(source):\(line): key '\(key.prefix(64))' is not known and not used")
    }
    guard let trajectory = tree["trajectory"]?.text.flatMap(Trajectory.init(rawValue:)) else {
      throw fault(
        tree["trajectory"] == nil ? "no key trajectory" : "another trajectory", "visualInertial or odometry")
    }
    guard let tree = tree["rig"] else { throw fault("no key rig", "the calibration of each sensor") }
    let rig = try RigCalibration(tree, source: source, line: line, warnings: &warnings)
    switch trajectory {
    case .visualInertial where rig.imu == nil || rig.cameras.isEmpty:
      throw fault("a rig without \(rig.imu == nil ? "imu0" : "cam0")", "imu0 and cam0, or the trajectory odometry")
    case .odometry where rig.odometry == nil:
      throw fault("a rig without odometry0", "odometry0, or the trajectory visualInertial")
    default: break
    }
    if rig.radio == nil { warnings.append("\(source):\(line): no rig.uwb0: no ranges are expected") }
    return (StreamHeader(trajectory: trajectory, rig: rig), warnings)
  }

  /// The header of a recording's stream.
  package init(_ recording: Recording) {
    self.init(
      trajectory: recording.trajectorySource == .odometry ? .odometry : .visualInertial, rig: recording.rig)
  }
}

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

/// Makes the order of lines the order of arrival: an event never arrives before those in front of it.
///
/// A recording is read by arrival, then time, then kind (`EventReader`). An event that would sort before its
/// predecessor gets the predecessor's arrival, or one nanosecond more where the tie would go the other way; so a session
/// and the recording made of it are the same sequence. Streams from recordings are in order and pass unchanged.
package struct ArrivalOrder: Sendable {
  private var last: TimedEvent?

  /// An order without events.
  package init() {}

  /// The next event, arriving no sooner than the last.
  package mutating func next(_ event: TimedEvent) -> TimedEvent {
    var event = event
    if let last {
      event.arrival = max(event.arrival, last.arrival)
      if event.arrival == last.arrival, precedes(event.event, last.event) {
        event.arrival = event.arrival.advanced(byNanoseconds: 1)
      }
    }
    // What the order needs of the last event; not its features.
    last = event
    return event
  }

  private func precedes(_ a: SensorEvent, _ b: SensorEvent) -> Bool {
    if a.timestamp != b.timestamp { return a.timestamp < b.timestamp }
    if a.rank != b.rank { return a.rank < b.rank }
    if case .frame(let x) = a, case .frame(let y) = b { return x.camera < y.camera }
    return false
  }
}
