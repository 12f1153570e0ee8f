import Datasets
import Foundation
import Geometry
import JSONText
import RunResults
import SensorData

/// The stored updates of a session: lines in a file, found by index. One writer, many readers.
///
/// While nobody writes or reads, nothing of it is in memory or open but its counts: a reader opens it again.
package final class UpdateStore: @unchecked Sendable {
  /// When an update came to be, for `?details=latency`.
  package struct Latency: Sendable {
    /// Arrival of the batch whose line released it, nanoseconds since 1970.
    package var arrival: Int64
    /// When readers could see it, nanoseconds since 1970.
    package var published: Int64
  }

  /// Where a reader is: an update and the byte at which its line begins.
  package struct Position: Equatable, Sendable {
    /// The update's index.
    package fileprivate(set) var index: Int
    fileprivate var offset: Int

    /// In front of everything.
    package static let start = Position(index: 0, offset: 0)
  }

  private let lock = NSLock()
  private let path: String
  // Guarded by the lock.
  private var file: StoredFile?
  private var isWriting = false
  private var lines = LineIndex()
  private var hasIndex: Bool
  private var isCounted: Bool
  private var latencies: (first: Int, ring: [Latency]) = (0, [])
  private var readers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var nextReader = 0
  private var isFinal: Bool
  // Only the writer uses these.
  private var pending: [UInt8] = []
  private var pendingEnds: [Int] = []
  private var repeated = 0

  private static let rememberedLatencies = 4096

  /// The store of a file, which is made private to the user. `keeps`: what is in it stays, for a session whose results
  /// are final; nothing is opened.
  package init(path: String, keeps: Bool) throws(LogError) {
    self.path = path
    isFinal = keeps
    hasIndex = !keeps
    isCounted = !keeps
    if !keeps { _ = try StoredFile(path: path, truncates: true) }
  }

  // MARK: writing

  /// Opens the file for the writer. What is stored stays: the same lines come again, and are passed over.
  package func beginWriting() throws(LogError) {
    try lock.withLockThrowing { () throws(LogError) in
      try openFile()
      isWriting = true
      repeated = lines.count
    }
  }

  /// The writer is away: nothing stays open for it.
  package func endWriting() {
    pending = []
    pendingEnds = []
    lock.withLock {
      isWriting = false
      closeIfUnused()
    }
  }

  /// Adds a line, with its line break; readers see it after `publish`.
  package func add(_ line: [UInt8]) {
    guard repeated == 0 else {
      repeated -= 1
      return
    }
    pending.append(contentsOf: line)
    pendingEnds.append(pending.count)
  }

  /// Shows the added lines to readers; returns their indices.
  @discardableResult package func publish(arrival: Int64, now: Int64) throws(LogError) -> Range<Int> {
    let begin = lock.withLock { lines.size }
    let first = lock.withLock { lines.count }
    guard !pendingEnds.isEmpty else { return first..<first }
    guard let file = lock.withLock({ file }) else { throw .file(path: path, cause: "is not open") }
    try file.write(pending, at: begin)
    lock.lock()
    for end in pendingEnds {
      lines.append(end: begin + end)
      let latency = Latency(arrival: arrival, published: now)
      if latencies.ring.isEmpty { latencies.first = lines.count - 1 }
      if latencies.ring.count < Self.rememberedLatencies {
        latencies.ring.append(latency)
      } else {
        latencies.ring[(lines.count - 1 - latencies.first) % Self.rememberedLatencies] = latency
      }
    }
    let waiting = Array(readers.values)
    let end = lines.count
    lock.unlock()
    pending.removeAll(keepingCapacity: pending.count < 1 << 16)
    pendingEnds.removeAll(keepingCapacity: pending.count < 1 << 16)
    for reader in waiting { reader.yield() }
    return first..<end
  }

  /// No more updates come.
  package func finish() {
    lock.withLock { isFinal = true }
    wake()
  }

  /// Writes the file to disk.
  package func sync() { lock.withLock { file }?.sync() }

  // MARK: reading

  /// Updates so far, and whether they are all.
  ///
  /// Reads the file where nobody has since the start.
  package var state: (count: Int, isFinal: Bool) {
    lock.withLock {
      if !isCounted, (try? openFile()) != nil { closeIfUnused() }
      return (lines.count, isFinal)
    }
  }

  /// Whether somebody writes or reads: then a further reader costs no reading of the file.
  package var isOpen: Bool { lock.withLock { file != nil } }

  /// Bytes of the updates so far.
  package var size: Int {
    lock.withLock {
      var status = stat()
      return isCounted ? lines.size : stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
  }

  /// Where an update begins, or the end where there are not so many. The reader has called `changes`.
  package func position(of index: Int) throws(LogError) -> Position {
    let (mark, count, size) = lock.withLock { (lines.mark(before: index), lines.count, lines.size) }
    guard index < count else { return Position(index: count, offset: size) }
    var position = mark
    while position.index < index {
      let passed = try read(&position, bytes: 1 << 16, lines: index - position.index)
      if passed.isEmpty { throw .file(path: path, cause: "is shorter than it was, expected \(count) lines") }
    }
    return position
  }

  /// The next lines, without their line breaks: at least one where there is one, else up to some bytes, and at most so
  /// many.
  package func read(
    _ position: inout Position, bytes: Int, lines most: Int = .max
  ) throws(LogError) -> [ArraySlice<UInt8>] {
    let (file, end) = lock.withLock { (self.file, lines.size) }
    guard position.offset < end else { return [] }
    guard let file else { throw .file(path: path, cause: "is not open") }
    var room = min(bytes, end - position.offset)
    while true {
      let text = try file.read(at: position.offset, count: room)
      var found: [ArraySlice<UInt8>] = []
      var begin = 0
      while found.count < most, let stop = text[begin...].firstIndex(of: 0x0A) {
        found.append(text[begin..<stop])
        begin = stop + 1
      }
      guard found.isEmpty, room < end - position.offset else {
        position.index += found.count
        position.offset += begin
        return found
      }
      // A line longer than that.
      room = min(room * 4, end - position.offset)
    }
  }

  /// When an update came to be; nil where that is forgotten.
  package func latency(_ index: Int) -> Latency? {
    lock.withLock {
      guard index < lines.count, index >= lines.count - latencies.ring.count else { return nil }
      return latencies.ring[(index - latencies.first) % Self.rememberedLatencies]
    }
  }

  /// Opens the store for a reader: a signal for every change, newest only, and what ends it. Reads the file where nobody
  /// has it open.
  package func changes() throws(LogError) -> (signals: AsyncStream<Void>, number: Int) {
    let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = try lock.withLockThrowing { () throws(LogError) in
      try openFile()
      nextReader += 1
      readers[nextReader] = continuation
      return nextReader
    }
    return (signals, number)
  }

  /// Ends a reader's signals.
  package func leave(_ number: Int) {
    let reader = lock.withLock {
      let reader = readers.removeValue(forKey: number)
      closeIfUnused()
      return reader
    }
    reader?.finish()
  }

  /// Wakes all readers: the state has changed, or the service stops.
  package func wake() { for reader in lock.withLock({ Array(readers.values) }) { reader.yield() } }

  /// Readers at present.
  package var readerCount: Int { lock.withLock { readers.count } }

  // MARK: open and closed, with the lock held

  private func openFile() throws(LogError) {
    if file == nil { file = try StoredFile(path: path, truncates: false) }
    guard !hasIndex else { return }
    do throws(LogError) { lines = try LineIndex(of: file!) } catch {
      file = nil
      throw error
    }
    hasIndex = true
    isCounted = true
  }

  private func closeIfUnused() {
    guard !isWriting, readers.isEmpty else { return }
    file = nil
    latencies = (0, [])
    lines.forget()
    hasIndex = lines.isKnown
  }
}

/// Where lines begin: every 64th is remembered, those between are found from there.
private struct LineIndex {
  private static let step = 64
  private var marks = [0]
  private(set) var count = 0
  private(set) var size = 0

  init() {}

  /// The index of what is in a file.
  init(of file: StoredFile) throws(LogError) {
    let end = try file.size
    while size < end {
      let begin = size
      let text = try file.read(at: begin, count: min(1 << 20, end - begin))
      for (offset, byte) in text.enumerated() where byte == 0x0A { append(end: begin + offset + 1) }
      // A line that is longer than what was read, or cut off: not a whole line.
      guard size > begin else { break }
    }
  }

  mutating func append(end: Int) {
    count += 1
    size = end
    if count % Self.step == 0 { marks.append(end) }
  }

  func mark(before index: Int) -> UpdateStore.Position {
    let mark = min(index / Self.step, marks.count - 1)
    return UpdateStore.Position(index: mark * Self.step, offset: marks[mark])
  }

  /// Keeps the counts only.
  mutating func forget() { if count >= Self.step { marks = [] } }

  /// Whether positions can be found.
  var isKnown: Bool { !marks.isEmpty }
}

extension NSLock {
  /// As `withLock`, with the error's type.
  fileprivate func withLockThrowing<Value>(_ body: () throws(LogError) -> Value) throws(LogError) -> Value {
    lock()
    defer { unlock() }
    return try body()
  }
}

/// The peer of a stored line, as its text has it: enough to tell peers apart, without reading the line.
package struct UpdatePeer: Hashable, Sendable {
  private let text: [UInt8]

  private static let key = Array(",\"peer\":\"".utf8)

  /// The peer's name.
  package var name: String? {
    guard case .string(let name)? = JSONValue(parsing: [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]) else {
      return nil
    }
    return name
  }

  /// The peer of a line as `UpdateRecord` writes it; nil for a line of the session.
  package init?(line: ArraySlice<UInt8>) {
    // Behind the stamp, which is a number: no text comes before it.
    guard let comma = line.firstIndex(of: UInt8(ascii: ",")), line[comma...].starts(with: Self.key) else { return nil }
    let begin = comma + Self.key.count
    var end = begin
    while end < line.endIndex, line[end] != UInt8(ascii: "\"") { end += line[end] == UInt8(ascii: "\\") ? 2 : 1 }
    text = Array(line[begin..<min(end, line.endIndex)])
  }
}

/// The trajectory of a session in a file, `trajectory.tum`. One writer, while there is one.
struct TrajectoryStore {
  private let file: StoredFile
  private var text: [UInt8] = []
  /// Bytes that are written.
  private(set) var size: Int
  /// Bytes of what is written that come once more.
  private var repeated: Int
  /// Poses so far.
  private(set) var count = 0
  /// Poses left out because they were not finite.
  private(set) var nonFinite = 0

  /// Opens the file with what was `written` into it before, which comes again and is passed over.
  init(path: String, written: Int) throws(LogError) {
    file = try StoredFile(path: path, truncates: written == 0)
    (size, repeated) = (written, written)
  }

  mutating func add(_ time: Timestamp, _ worldFromBody: Pose) {
    if TrajectoryLine.append(time, worldFromBody, to: &text) { count += 1 } else { nonFinite += 1 }
  }

  mutating func flush() throws(LogError) {
    let passed = min(repeated, text.count)
    repeated -= passed
    text.removeFirst(passed)
    guard !text.isEmpty else { return }
    try file.write(text, at: size)
    size += text.count
    text.removeAll(keepingCapacity: text.count < 1 << 16)
  }

  func sync() { file.sync() }
}

/// A file that only the user can read, written at its end.
final class PrivateFile {
  private let file: StoredFile
  private var size = 0

  init(path: String) throws(LogError) { file = try StoredFile(path: path, truncates: true) }

  func append(_ bytes: [UInt8]) throws(LogError) {
    try file.write(bytes, at: size)
    size += bytes.count
  }

  func sync() { file.sync() }
}

/// A whole file that appears at once, on disk.
enum AtomicBytes {
  static func write(_ bytes: [UInt8], to path: String) throws(LogError) {
    unlink(path + ".partial")
    let file = try PrivateFile(path: path + ".partial")
    try file.append(bytes)
    file.sync()
    guard rename(path + ".partial", path) == 0 else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
  }
}
