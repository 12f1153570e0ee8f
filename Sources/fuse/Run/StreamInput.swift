import Datasets
import EventLines
import Foundation
import FuseCaptureFormat
import JSONText
import RunResults
import SensorData

/// Event lines from standard input: `fuse run -`.
final class StreamInput: RunInput {
  /// What messages call it.
  static let name = "standard input"

  private let options: RunOptions
  private var splitter = LineSplitter()
  private var reader = StreamReader(source: StreamInput.name)
  private var queue: [TimedEvent] = []
  private var taken = 0
  private var isAtEnd = false
  private var selection: EventSelection?
  private var ownWarnings: [String] = []
  private let header: StreamHeader
  private(set) var firstTimestamp = Timestamp(nanoseconds: 0)
  private(set) var stoppedEarly = false
  private var newest = Timestamp(nanoseconds: .min)

  /// Reads up to the first measurement.
  init(options: RunOptions) throws {
    self.options = options
    var reader = self.reader
    var splitter = self.splitter
    var queue: [TimedEvent] = []
    var isAtEnd = false
    // Device events have no part in the first stamp, as in recordings.
    func measured() -> TimedEvent? { queue.first { if case .device = $0.event { false } else { true } } }
    while measured() == nil, !isAtEnd { isAtEnd = try !Self.read(&splitter, &reader, into: &queue) }
    guard let header = reader.header else {
      throw DatasetError(file: Self.name, line: 1, found: "no line", expected: "the header of a stream")
    }
    guard let first = measured() else {
      throw DatasetError(file: Self.name, found: "a header and no measurements", expected: "event lines")
    }
    self.header = header
    (self.reader, self.splitter, self.queue, self.isAtEnd) = (reader, splitter, queue, isAtEnd)
    firstTimestamp = first.event.timestamp
    selection = EventSelection(from: options.from, to: options.to, peer: options.peer, first: firstTimestamp)
  }

  var rig: RigCalibration { header.rig }
  var trajectorySource: TrajectorySource? { header.trajectory == .odometry ? .odometry : .imuAndCamera }
  var title: String? { nil }
  var path: String? { nil }
  var length: Double? { newest > firstTimestamp ? newest.seconds(since: firstTimestamp) : nil }
  var isReady: Bool { taken < queue.count || isAtEnd }

  func next() throws -> TimedEvent? {
    while !stoppedEarly {
      if taken == queue.count {
        queue.removeAll(keepingCapacity: true)
        taken = 0
        if isAtEnd { break }
        isAtEnd = try !Self.read(&splitter, &reader, into: &queue)
        if options.isStrict, let bad = damage.first(where: { $0.total > 0 }) {
          throw DatasetError(
            file: Self.name, line: reader.line, found: "a damaged measurement (\(bad.path): \(bad.counts.keys.first!))",
            expected: "none, as --strict was given")
        }
        continue
      }
      let event = queue[taken]
      taken += 1
      newest = max(newest, event.event.timestamp)
      if selection!.isOver(at: event) {
        stoppedEarly = true
      } else if selection!.includes(event.event) {
        return event
      }
    }
    // What was read of a stream without its last line is a part: what later lines could change is held back.
    if !stoppedEarly, !reader.hasEnded {
      stoppedEarly = true
      ownWarnings.append("\(Self.name): no line {\"end\":{}}: what was read is a part of a stream")
    }
    return nil
  }

  var damage: [FileDamage] {
    guard let admission = reader.admission else { return [] }
    return LineStream.allCases.sorted().compactMap { stream in
      admission.rows[stream].map {
        FileDamage(path: stream.rawValue, rows: $0, counts: admission.damage[stream] ?? [:])
      }
    }
  }

  func takeWarnings() -> [String] {
    defer { ownWarnings = [] }
    return reader.takeWarnings() + ownWarnings
  }

  /// Reads lines until there are events, or none are at hand; false at the end of the stream.
  private static func read(
    _ splitter: inout LineSplitter, _ reader: inout StreamReader, into queue: inout [TimedEvent]
  ) throws -> Bool {
    do {
      while queue.isEmpty {
        guard try splitter.next({ try reader.read($0, into: &queue) }) else { break }
      }
      guard queue.isEmpty else { return true }
      return try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { room in
        var count = Foundation.read(STDIN_FILENO, room.baseAddress, room.count)
        while count < 0, errno == EINTR { count = Foundation.read(STDIN_FILENO, room.baseAddress, room.count) }
        guard count >= 0 else {
          throw CommandError("\(name): cannot be read: \(String(cString: strerror(errno)))")
        }
        if count == 0 {
          try splitter.finish { try reader.read($0, into: &queue) }
          reader.finish(into: &queue)
          return false
        }
        splitter.append(UnsafeRawBufferPointer(rebasing: room[..<count]))
        return true
      }
    } catch let fault as TextFault {
      throw StreamFault(source: name, line: reader.line + 1, fault: fault)
    }
  }
}
