import Foundation
import LiveSessions
import Testing

/// A compaction beside writers: they do not wait for it, and what they wrote is there.
@Suite struct CompactionTests {
  /// A segment whose rewriting stands still (its temporary file is a FIFO that nobody reads) holds up nobody who appends,
  /// and its failure changes nothing.
  @Test func appendingGoesOnMeanwhile() throws {
    let folder = try LogTests.Folder()
    let log = try WriteAheadLog(folder: folder.path, version: "1.0", segmentSize: 10_000) { _ in }
    for k in 0..<40 as Range<UInt64> { try log.append(LogFormatTests.record(k % 2 + 1, k / 2, bytes: 1000)) }
    let segments = Set(1...folder.segments.count)
    let fifo = "\(folder.path)/\(folder.segments[0]).partial"
    #expect(mkfifo(fifo, 0o600) == 0)
    let outcome = Outcome()
    Thread { outcome.end(Result { try log.remove(sessions: [1], from: segments) { _, _ in } }) }.start()
    // It has rotated when it is at its first segment.
    while folder.segments.count == segments.count { usleep(1000) }

    for k in 0..<30 as Range<UInt64> {
      let ticket = try log.append(LogFormatTests.record(3, k, bytes: 1000))
      let isSynced = DispatchSemaphore(value: 0)
      log.whenSynced(ticket) {
        #expect($0 == nil)
        isSynced.signal()
      }
      isSynced.wait()
    }
    #expect(!outcome.isThere)
    let reader = try #require(FileHandle(forReadingAtPath: fifo))
    _ = try reader.readToEnd()
    #expect(throws: LogError.self) { try outcome.wait().get() }

    #expect(try log.remove(sessions: [1], from: segments) { _, _ in })
    log.close()
    var kept: [UInt64: Int] = [:]
    let again = try WriteAheadLog(folder: folder.path, version: "1.0", segmentSize: 10_000) {
      if case .record(let record, _) = $0, record.kind == .batch { kept[record.session, default: 0] += 1 }
    }
    #expect(again.damage.isEmpty && kept == [2: 20, 3: 30])
    again.close()
  }

  /// What became of a compaction on another thread.
  private final class Outcome: @unchecked Sendable {
    private let condition = NSCondition()
    private var result: Result<Bool, any Error>?

    var isThere: Bool { condition.withLock { result != nil } }

    func end(_ result: Result<Bool, any Error>) {
      condition.withLock { self.result = result }
      condition.broadcast()
    }

    func wait() throws -> Result<Bool, any Error> {
      condition.lock()
      defer { condition.unlock() }
      while result == nil { condition.wait() }
      return result!
    }
  }
}
