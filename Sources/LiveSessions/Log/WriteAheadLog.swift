import Dispatch
import Foundation

/// The write-ahead log of a process: one for all sessions, in segments, with group commit.
///
/// `append` writes at once, so that a record survives the death of the process; one thread syncs, and what was appended
/// meanwhile shares the next sync. Acknowledgements wait for it, work does not. Deleting a session rewrites its segments
/// without it, beside what is appended; a segment that has lost something is never rewritten.
package final class WriteAheadLog: @unchecked Sendable {
  /// Where a record is.
  package typealias Place = LogReading.Place

  /// What was appended, to wait for.
  package struct Ticket: Equatable, Sendable {
    /// Where the record is; of several copies the first.
    package var place: Place
    fileprivate var number: UInt64
  }

  private let folder: String
  private let version: String
  private let segmentSize: Int
  /// Writes a file to disk; returns 0 or what went wrong, as `errno`.
  private let sync: @Sendable (Int32) -> Int32
  private let folderLock: Int32
  /// One compaction at a time.
  private let compaction = NSLock()
  // Everything below is guarded by the condition.
  private let condition = NSCondition()
  private var active = ActiveSegment()
  private var commits = GroupCommit()
  private var isClosed = false
  private var failure: LogError?
  private var readers = 0
  private var damaged: [Int: Set<UInt64>] = [:]
  private var newestList: Place?
  /// Segments with an outdated list, perhaps nothing else.
  private var listsOnly: Set<Int> = []
  /// Syncs so far, and the longest and the total time of one, seconds.
  package private(set) var syncs: (count: Int, longest: Double, total: Double) = (0, 0, 0)
  /// What is damaged, as it was found at the start.
  package private(set) var damage: [LogDamage] = []

  /// The segment that is written.
  private struct ActiveSegment {
    var descriptor: Int32 = -1, number = 0
    /// Bytes.
    var size = 0
  }

  /// Records by number: what is appended while the disk is at it shares the next sync.
  private struct GroupCommit {
    /// Records appended, those whose sync was tried, and those that are on disk.
    var appended: UInt64 = 0, synced: UInt64 = 0, durable: UInt64 = 0
    private var waiting: [(number: UInt64, body: @Sendable (LogError?) -> Void)] = []

    /// Calls back once the sync of a record was tried.
    mutating func wait(for number: UInt64, _ body: @escaping @Sendable (LogError?) -> Void) {
      waiting.append((number, body))
    }

    /// The sync of all records up to this number was tried; who waited for it.
    mutating func tried(_ number: UInt64, failure: LogError?) -> [@Sendable (LogError?) -> Void] {
      if failure == nil { durable = number }
      synced = number
      let due = waiting.filter { $0.number <= number }
      waiting.removeAll { $0.number <= number }
      return due.map(\.body)
    }
  }

  /// Opens the log in a folder that exists; `visit` gets everything in it, oldest first. Of what is damaged only the torn
  /// tail is cut; segments with damage, and what is cut, are copied to the folder `damaged`.
  ///
  /// - Parameter sync: writes a file to disk; 0, or `errno`.
  /// - Throws: `LogError.busy` where another process has it, `version` where another version wrote it (nothing is
  ///   changed then), `file` and `full`.
  package init(
    folder: String, version: String, segmentSize: Int = 16 << 20,
    sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) == 0 ? 0 : errno },
    visit: (LogReading.Found) -> Void
  ) throws {
    (self.folder, self.version, self.segmentSize, self.sync) = (folder, version, segmentSize, sync)
    folderLock = try LogFolder.lock(folder, LOCK_EX)
    do { try open(visit) } catch {
      Glibc.close(folderLock)
      throw error
    }
    Thread(block: { [self] in syncLoop() }).start()
  }

  private func path(_ segment: Int) -> String { "\(folder)/\(LogDamage.name(segment))" }

  // MARK: opening

  private func open(_ visit: (LogReading.Found) -> Void) throws {
    var sessions: [Int: Set<UInt64>] = [:]
    let reading = try LogReading(folder: folder) { found in
      if case .record(let record, let place) = found {
        sessions[place.segment, default: []].insert(record.session)
        if record.kind == .removed { newestList = place }
      }
      visit(found)
    }
    for one in reading.segments {
      if let found = one.version, found != version {
        throw LogError.version(path: path(one.number), found: found, expected: version)
      }
    }
    damage = reading.damage
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".partial") {
      unlink("\(folder)/\(name)")
    }
    for one in reading.segments {
      if one.damage.contains(where: { !$0.isTail }) {
        if one.damage.contains(where: \.losesRecords) { damaged[one.number] = sessions[one.number] ?? [] }
        try LogFolder.keep(LogDamage.name(one.number), of: folder)
      } else if sessions[one.number] == [0], newestList?.segment != one.number {
        listsOnly.insert(one.number)
      }
    }
    guard let last = reading.segments.last else { return try begin(1) }
    // What a death of the process left may be in memory only: it is acknowledged when it is repeated.
    try settle(path(last.number))
    if let tail = last.tail { try LogFolder.cut(LogDamage.name(last.number), of: folder, at: tail) }
    // A segment that has only its beginning is used: they would grow by one with every start.
    if last.records == 0, last.damage.allSatisfy(\.isTail) {
      try begin(last.number)
    } else {
      try begin(last.number + 1)
    }
  }

  private func settle(_ path: String) throws(LogError) {
    let file = Glibc.open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw SegmentFile.error(path) }
    defer { Glibc.close(file) }
    let status = sync(file)
    guard status == 0 else { throw Self.error(status, path) }
  }

  /// Begins a segment: records follow only when its name is on disk.
  private func begin(_ number: Int) throws(LogError) {
    let path = path(number)
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SegmentFile.error(path) }
    let header = LogFormat.header(version: version)
    guard SegmentFile.write(header, to: file), fsync(folderLock) == 0 else {
      let error = SegmentFile.error(path)
      Glibc.close(file)
      unlink(path)
      throw error
    }
    if active.descriptor >= 0 { Glibc.close(active.descriptor) }
    active = ActiveSegment(descriptor: file, number: number, size: header.count)
  }

  // MARK: appending

  /// Writes a record, `copies` times one behind the other. It is on disk when `whenSynced` says so.
  ///
  /// - Parameter placed: called with its place before any record moves.
  /// - Throws: `LogError.full` and others, with nothing of the record kept.
  @discardableResult package func append(
    _ record: LogRecord, copies: Int = 1, placed: (Place) -> Void = { _ in }
  ) throws(LogError) -> Ticket {
    var bytes: [UInt8] = []
    for _ in 0..<copies { LogFormat.append(record, to: &bytes) }
    condition.lock()
    defer { condition.unlock() }
    return try write(bytes, placed)
  }

  private func write(_ bytes: [UInt8], _ placed: (Place) -> Void = { _ in }) throws(LogError) -> Ticket {
    if let failure { throw failure }
    guard !isClosed else { throw .file(path: folder, cause: "the log is closed") }
    if active.size > LogFormat.header(version: version).count, active.size + bytes.count > segmentSize { try rotate() }
    guard SegmentFile.write(bytes, to: active.descriptor) else {
      let error = SegmentFile.error(path(active.number))
      // Nothing of it stays; where even that fails, the log takes nothing more.
      let end = off_t(active.size)
      if ftruncate(active.descriptor, end) != 0 || lseek(active.descriptor, end, SEEK_SET) < 0 { throw fail(error) }
      throw error
    }
    let place = Place(segment: active.number, offset: active.size)
    active.size += bytes.count
    commits.appended += 1
    placed(place)
    condition.broadcast()
    return Ticket(place: place, number: commits.appended)
  }

  /// Goes on in a new segment. The old one is synced first: one descriptor is synced at a time.
  private func rotate() throws(LogError) {
    let status = sync(active.descriptor)
    guard status == 0 else { throw fail(Self.error(status, path(active.number))) }
    try begin(active.number + 1)
  }

  private static func error(_ status: Int32, _ path: String) -> LogError {
    errno = status
    return SegmentFile.error(path)
  }

  /// Calls back, on another thread or at once, when what was appended is on disk, or with what went wrong. Without a
  /// ticket: all that was appended so far.
  package func whenSynced(_ ticket: Ticket? = nil, _ body: @escaping @Sendable (LogError?) -> Void) {
    condition.lock()
    let number = ticket?.number ?? commits.appended
    let isDone = commits.synced >= number
    if !isDone { commits.wait(for: number, body) }
    let error = commits.durable >= number ? nil : failure
    condition.unlock()
    if isDone { body(error) }
  }

  /// Blocks until a record is on disk; nil, or what went wrong.
  private func wait(for ticket: Ticket) -> LogError? {
    condition.withLock {
      while commits.synced < ticket.number { condition.wait() }
      return commits.durable >= ticket.number ? nil : failure
    }
  }

  private func fail(_ error: LogError) -> LogError {
    if failure == nil { failure = error }
    return error
  }

  private func syncLoop() {
    while true {
      condition.lock()
      while commits.synced == commits.appended, !isClosed { condition.wait() }
      let (target, file, isLast) = (commits.appended, dup(active.descriptor), isClosed)
      condition.unlock()
      let began = DispatchTime.now().uptimeNanoseconds
      let status = file >= 0 ? sync(file) : EMFILE
      if file >= 0 { Glibc.close(file) }
      let took = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
      condition.lock()
      syncs = (syncs.count + 1, max(syncs.longest, took), syncs.total + took)
      // A failed sync cannot be repeated: the kernel may have dropped the pages, and the next one says nothing of them. The
      // log takes nothing more, and acknowledges nothing that was appended meanwhile.
      if status != 0 { _ = fail(Self.error(status, folder)) }
      let error = failure
      let due = commits.tried(target, failure: error)
      let isDone = isLast && commits.synced == commits.appended
      condition.broadcast()
      condition.unlock()
      for body in due { body(error) }
      if isDone { return }
    }
  }

  // MARK: reading

  /// Calls `body` with the records at these places, in their order, until it returns false. Nothing moves meanwhile:
  /// `places` is asked behind the last compaction.
  package func read(_ places: () -> [Place], _ body: (LogRecord) throws -> Bool) throws {
    condition.withLock { readers += 1 }
    defer { condition.withLock { readers -= 1 } }
    try SegmentReader.read(folder, places(), body)
  }

  // MARK: deleting

  /// Removes all records of some sessions from the log. Appending goes on meanwhile: only closed segments are rewritten,
  /// and the lock is held to put each in its place.
  ///
  /// Damaged segments stay, and with them what says that their sessions are deleted.
  /// - Parameter relocate: called for each segment that changed, before anybody reads it, with the new offsets of the
  ///   records that stay, by their old ones. Also where an error ends the work in its midst.
  /// - Returns: false where somebody reads: what was not done is to be done again.
  /// - Throws: `LogError`; what was not done is to be done again.
  package func remove(
    sessions: Set<UInt64>, from segments: Set<Int>, relocate: (Int, [Int: Int]) -> Void
  ) throws(LogError) -> Bool {
    compaction.lock()
    defer { compaction.unlock() }
    guard let (due, pinned, lists) = try closed(segments) else { return false }
    var emptied: Set<Int> = []
    for number in due {
      let list = newestList.flatMap { $0.segment == number ? $0.offset : nil }
      let rewriting = try SegmentRewriting(
        path(number), version: version, without: sessions, pinned: pinned, list: list)
      if let damage = rewriting.damage {
        // Damaged since the start: kept, until the next start names whose it is.
        condition.withLock { damaged[number] = sessions }
        throw .file(
          path: path(number),
          cause: "damaged at bytes \(damage.lowerBound) to \(damage.upperBound) since the start, expected "
            + "what was written: it is not compacted; restart to see whose batches it took")
      }
      guard let bytes = rewriting.bytes else {
        emptied.insert(number)
        continue
      }
      // Done before a reader held up the rest.
      guard rewriting.isChanged else { continue }
      let partial = try SegmentFile.partial(path(number), with: bytes)
      guard try put(partial, number, rewriting.moved, relocate) else { return false }
    }
    try syncFolder()
    condition.withLock { listsOnly.subtract(lists) }
    if !emptied.isEmpty {
      for number in emptied { relocate(number, [:]) }
      try drop(emptied)
    }
    return true
  }

  /// The segments to rewrite, which nobody writes to any more, and sessions whose deletion is to stay on record; nil where
  /// somebody reads.
  private func closed(
    _ segments: Set<Int>
  ) throws(LogError) -> (due: [Int], pinned: Set<UInt64>, lists: Set<Int>)? {
    condition.lock()
    defer { condition.unlock() }
    guard readers == 0, !isClosed else { return nil }
    if let failure { throw failure }
    if segments.contains(active.number) { try rotate() }
    let there = Set(try LogReading.numbers(folder))
    let due = segments.union(listsOnly).intersection(there).sorted().filter {
      damaged[$0] == nil && $0 != active.number
    }
    return (due, damaged.values.reduce(into: []) { $0.formUnion($1) }, listsOnly)
  }

  /// Puts a rewritten segment in its place; false, with the segment of before, where somebody reads.
  private func put(
    _ partial: String, _ number: Int, _ moved: [Int: Int], _ relocate: (Int, [Int: Int]) -> Void
  ) throws(LogError) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard readers == 0, rename(partial, path(number)) == 0 else {
      let error = SegmentFile.error(path(number))
      unlink(partial)
      if readers == 0 { throw error }
      return false
    }
    relocate(number, moved)
    if let list = newestList, list.segment == number { newestList!.offset = moved[list.offset]! }
    return true
  }

  private func syncFolder() throws(LogError) {
    guard fsync(folderLock) == 0 else { throw SegmentFile.error(folder) }
  }

  /// Removes segments, after the log says so: one that is missing otherwise is damage.
  private func drop(_ emptied: Set<Int>) throws(LogError) {
    let (ticket, before) = try announce(emptied)
    if let error = wait(for: ticket) { throw error }
    for number in emptied { unlink(path(number)) }
    try syncFolder()
    if let before, before.segment != ticket.place.segment, !emptied.contains(before.segment) {
      condition.withLock { _ = listsOnly.insert(before.segment) }
    }
  }

  /// Appends the list of what is absent by intent, with these; the list of before is outdated.
  private func announce(_ emptied: Set<Int>) throws(LogError) -> (ticket: Ticket, before: Place?) {
    condition.lock()
    defer { condition.unlock() }
    let there = Set(try LogReading.numbers(folder)).subtracting(emptied)
    let absent = Set(1...active.number).subtracting(there).subtracting(
      damage.filter { $0.cause == .missing }.map(\.segment))
    let list = LogRecord(kind: .removed, session: 0, arrival: 0, payload: Array(SegmentList.text(absent).utf8))
    var bytes: [UInt8] = []
    LogFormat.append(list, to: &bytes)
    let before = newestList
    let ticket = try write(bytes)
    newestList = ticket.place
    return (ticket, before)
  }

  /// Bytes of all segments.
  package var bytes: Int {
    ((try? LogReading.numbers(folder)) ?? []).reduce(0) { sum, number in
      var status = stat()
      return sum + (stat(path(number), &status) == 0 ? Int(status.st_size) : 0)
    }
  }

  /// Syncs what was appended and ends; later appends fail.
  package func close() {
    // A compaction that is at it needs the folder.
    compaction.lock()
    defer { compaction.unlock() }
    condition.lock()
    guard !isClosed else { return condition.unlock() }
    isClosed = true
    condition.broadcast()
    while commits.synced != commits.appended { condition.wait() }
    condition.unlock()
    // A process that another thread has just begun still has the descriptor, and with it the lock.
    flock(folderLock, LOCK_UN)
    Glibc.close(folderLock)
  }
}
