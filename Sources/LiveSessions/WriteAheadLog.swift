import Dispatch
import Foundation

/// The write-ahead log of a process: one for all sessions, in segments, with group commit.
///
/// `append` writes at once, so that a record survives the death of the process; one thread syncs, and what was appended
/// meanwhile shares the next sync. Acknowledgements wait for it, work does not. Deleting a session rewrites its segments
/// without it.
package final class WriteAheadLog: @unchecked Sendable {
  /// Where a record is.
  package struct Place: Equatable, Sendable {
    /// The segment's number.
    package var segment: Int
    /// Where the record begins.
    package var offset: Int
  }

  /// A record with its place.
  package typealias Placed = (record: LogRecord, place: Place)

  private let folder: String
  private let version: String
  private let segmentSize: Int
  private let folderLock: Int32
  // Everything below is guarded by the condition.
  private let condition = NSCondition()
  private var descriptor: Int32 = -1
  private var segment = 0
  private var size = 0
  private var appended: UInt64 = 0
  private var synced: UInt64 = 0
  private var waiting: [(UInt64, @Sendable (LogError?) -> Void)] = []
  private var isClosed = false
  private var failure: LogError?
  /// Syncs so far, and the longest and the total time of one, seconds.
  package private(set) var syncs: (count: Int, longest: Double, total: Double) = (0, 0, 0)

  /// Opens the log in a folder that exists; `visit` gets every whole record, oldest first. A torn tail is cut.
  package init(
    folder: String, version: String, segmentSize: Int = 16 << 20, visit: (LogRecord, Place) -> Void
  ) throws(LogError) {
    self.folder = folder
    self.version = version
    self.segmentSize = segmentSize
    folderLock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folderLock >= 0 else { throw .file(path: folder, cause: String(cString: strerror(errno))) }
    guard flock(folderLock, LOCK_EX | LOCK_NB) == 0 else {
      close(folderLock)
      throw .busy(path: folder)
    }
    for number in try Self.segments(folder) {
      try read(number, visit)
      segment = number
    }
    try begin(segment + 1)
    Thread(block: { [self] in syncLoop() }).start()
  }

  private func path(_ segment: Int) -> String { Self.path(folder, segment) }

  private static func path(_ folder: String, _ segment: Int) -> String {
    "\(folder)/" + String(repeating: "0", count: max(0, 10 - "\(segment)".count)) + "\(segment).log"
  }

  private static func segments(_ folder: String) throws(LogError) -> [Int] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw .file(path: folder, cause: "cannot be listed")
    }
    for name in names where name.hasSuffix(".partial") { unlink("\(folder)/\(name)") }
    return names.compactMap { name in name.hasSuffix(".log") ? Int(name.dropLast(4)) : nil }.sorted()
  }

  /// Reads a segment and cuts what is not whole.
  private func read(_ number: Int, _ visit: (LogRecord, Place) -> Void) throws(LogError) {
    let path = path(number)
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .file(path: path, cause: "cannot be read")
    }
    var found: (version: String, length: Int)?
    var end = 0
    data.withUnsafeBytes { bytes in
      found = LogFormat.version(bytes)
      guard let found, found.version == version else { return }
      end = found.length
      while let (record, next) = LogFormat.record(bytes, at: end) {
        visit(record, Place(segment: number, offset: end))
        end = next
      }
    }
    if let found, found.version != version { throw .version(path: path, found: found.version, expected: version) }
    // Without a whole header the process died while it began the segment.
    if end < data.count, truncate(path, off_t(end)) != 0 {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
  }

  private func begin(_ number: Int) throws(LogError) {
    let path = path(number)
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.error(path) }
    let header = LogFormat.header(version: version)
    guard Self.write(header, to: file) else {
      let error = Self.error(path)
      close(file)
      unlink(path)
      throw error
    }
    fsync(folderLock)
    if descriptor >= 0 { close(descriptor) }
    (descriptor, segment, size) = (file, number, header.count)
  }

  private static func error(_ path: String) -> LogError {
    errno == ENOSPC || errno == EDQUOT ? .full(path: path) : .file(path: path, cause: String(cString: strerror(errno)))
  }

  private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress! + done, $0.count - done) }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      done += count
    }
    return true
  }

  // MARK: appending

  /// Writes a record; `whenSynced` is called on another thread once it is on disk, or with what went wrong.
  ///
  /// - Parameter placed: called with its place before any record moves.
  /// - Throws: `LogError.full` and others, with nothing of the record kept.
  @discardableResult package func append(
    _ record: LogRecord, placed: (Place) -> Void = { _ in }, whenSynced: @escaping @Sendable (LogError?) -> Void
  ) throws(LogError) -> Place {
    var bytes: [UInt8] = []
    LogFormat.append(record, to: &bytes)
    condition.lock()
    defer { condition.unlock() }
    if let failure { throw failure }
    guard !isClosed else { throw .file(path: folder, cause: "the log is closed") }
    if size > 64, size + bytes.count > segmentSize {
      // The old segment is synced before records go elsewhere: one descriptor is synced at a time.
      guard fdatasync(descriptor) == 0 else { throw fail(Self.error(path(segment))) }
      try begin(segment + 1)
    }
    guard Self.write(bytes, to: descriptor) else {
      let error = Self.error(path(segment))
      // Nothing of it stays; where even that fails, the log takes nothing more.
      if ftruncate(descriptor, off_t(size)) != 0 || lseek(descriptor, off_t(size), SEEK_SET) < 0 { throw fail(error) }
      throw error
    }
    let place = Place(segment: segment, offset: size)
    size += bytes.count
    appended += 1
    waiting.append((appended, whenSynced))
    placed(place)
    condition.signal()
    return place
  }

  /// Calls back once all that was appended so far is on disk.
  package func whenSynced(_ body: @escaping @Sendable (LogError?) -> Void) {
    condition.lock()
    let isDone = synced == appended
    if !isDone { waiting.append((appended, body)) }
    let failure = failure
    condition.signal()
    condition.unlock()
    if isDone { body(failure) }
  }

  private func fail(_ error: LogError) -> LogError {
    failure = error
    return error
  }

  private func syncLoop() {
    while true {
      condition.lock()
      while synced == appended, !isClosed { condition.wait() }
      let (target, file, isLast) = (appended, dup(descriptor), isClosed)
      condition.unlock()
      let began = DispatchTime.now().uptimeNanoseconds
      let status = file >= 0 ? fdatasync(file) : -1
      let error = status == 0 ? nil : Self.error(folder)
      if file >= 0 { close(file) }
      let took = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
      condition.lock()
      syncs = (syncs.count + 1, max(syncs.longest, took), syncs.total + took)
      // A failed sync cannot be repeated: the kernel may have dropped the pages. The log takes nothing more.
      if let error { failure = error }
      synced = target
      let due = waiting.filter { $0.0 <= target }
      waiting.removeAll { $0.0 <= target }
      let isDone = isLast && synced == appended
      condition.broadcast()
      condition.unlock()
      for (_, body) in due { body(error) }
      if isDone { return }
    }
  }

  // MARK: reading and deleting

  /// Calls `body` with the records at these places, in their order, until it returns false.
  package func read(_ places: [Place], _ body: (LogRecord) throws -> Bool) throws {
    var open: (segment: Int, data: Data)?
    for place in places {
      if open?.segment != place.segment {
        let path = path(place.segment)
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) else {
          throw LogError.file(path: path, cause: "cannot be read")
        }
        open = (place.segment, data)
      }
      // The current segment grows: a place behind what was mapped is mapped anew.
      var record = open!.data.withUnsafeBytes { LogFormat.record($0, at: place.offset)?.record }
      if record == nil {
        let path = path(place.segment)
        open = (place.segment, (try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)) ?? Data())
        record = open!.data.withUnsafeBytes { LogFormat.record($0, at: place.offset)?.record }
      }
      guard let record else { throw LogError.file(path: path(place.segment), cause: "a record is damaged") }
      guard try body(record) else { return }
    }
  }

  /// Removes all records of some sessions from the log. Blocks appending meanwhile.
  ///
  /// - Parameter relocate: called before anybody else appends, with the new places of the other records in the segments
  ///   that changed: by segment, old offset to new.
  package func remove(
    sessions: Set<UInt64>, from segments: Set<Int>, relocate: ([Int: [Int: Int]]) -> Void
  ) throws(LogError) {
    condition.lock()
    defer { condition.unlock() }
    if segments.contains(segment) {
      guard fdatasync(descriptor) == 0 else { throw fail(Self.error(path(segment))) }
      try begin(segment + 1)
    }
    var moved: [Int: [Int: Int]] = [:]
    for number in segments.sorted() { moved[number] = try rewrite(number, without: sessions) }
    fsync(folderLock)
    relocate(moved)
  }

  private func rewrite(_ number: Int, without sessions: Set<UInt64>) throws(LogError) -> [Int: Int] {
    let path = path(number)
    guard let data = FileManager.default.contents(atPath: path) else { return [:] }
    var kept = LogFormat.header(version: version)
    let empty = kept.count
    var offsets: [Int: Int] = [:]
    data.withUnsafeBytes { bytes in
      var at = LogFormat.version(bytes)?.length ?? bytes.count
      while let (record, next) = LogFormat.record(bytes, at: at) {
        if !sessions.contains(record.session) {
          offsets[at] = kept.count
          kept.append(contentsOf: bytes[at..<next])
        }
        at = next
      }
    }
    if kept.count == empty {
      unlink(path)
      return [:]
    }
    let partial = path + ".partial"
    let file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.error(partial) }
    defer { close(file) }
    guard Self.write(kept, to: file), fdatasync(file) == 0, rename(partial, path) == 0 else {
      let error = Self.error(partial)
      unlink(partial)
      throw error
    }
    return offsets
  }

  /// Bytes of all segments.
  package var bytes: Int {
    ((try? Self.segments(folder)) ?? []).reduce(0) { sum, number in
      var status = stat()
      return sum + (stat(path(number), &status) == 0 ? Int(status.st_size) : 0)
    }
  }

  /// Syncs what was appended and ends; later appends fail.
  package func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    while synced != appended { condition.wait() }
    condition.unlock()
    Glibc.close(folderLock)
  }

  private func close(_ file: Int32) { Glibc.close(file) }
}
