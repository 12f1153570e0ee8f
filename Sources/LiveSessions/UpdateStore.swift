import Foundation

/// The stored updates of a session: lines in a file, found by index. One writer, many readers.
package final class UpdateStore: @unchecked Sendable {
  /// When an update came to be, for `?details=latency`.
  package struct Latency: Sendable {
    /// Arrival of the batch whose line released it, nanoseconds since 1970.
    package var arrival: Int64
    /// When readers could see it, nanoseconds since 1970.
    package var published: Int64
  }

  private let lock = NSLock()
  private let descriptor: Int32
  private let path: String
  private var offsets: [Int] = [0]
  private var peers: [UInt16] = []
  private var names: [String?] = []
  private var numbers: [String?: UInt16] = [:]
  private var pending: [UInt8] = []
  private var pendingOffsets: [Int] = []
  private var pendingPeers: [UInt16] = []
  private var latencies: [Latency?] = []
  private static let rememberedLatencies = 4096
  private var readers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var nextReader = 0
  private var isFinal = false

  /// Opens the file, private to the user. `keeps`: what is in it stays, for a session whose results are final.
  package init(path: String, keeps: Bool) throws(LogError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (keeps ? 0 : O_TRUNC), 0o600)
    guard descriptor >= 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
    if keeps {
      let data = FileManager.default.contents(atPath: path) ?? Data()
      var at = 0
      for (index, byte) in data.enumerated() where byte == 0x0A {
        at = index + 1
        offsets.append(at)
        peers.append(number(of: nil))
      }
    }
  }

  deinit { close(descriptor) }

  private func number(of peer: String?) -> UInt16 {
    if let number = numbers[peer] { return number }
    let number = UInt16(truncatingIfNeeded: names.count)
    names.append(peer)
    numbers[peer] = number
    return number
  }

  // MARK: writing

  /// Adds a line, with its line break; readers see it after `publish`.
  package func add(_ line: [UInt8], peer: String?) {
    pending.append(contentsOf: line)
    pendingOffsets.append(pending.count)
    pendingPeers.append(number(of: peer))
  }

  /// Shows the added lines to readers.
  package func publish(arrival: Int64, now: Int64) throws(LogError) {
    guard !pendingOffsets.isEmpty else { return }
    let begin = offsets.last!
    var done = 0
    while done < pending.count {
      let count = pending.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + done, $0.count - done, off_t(begin + done))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw errno == ENOSPC ? .full(path: path) : .file(path: path, cause: String(cString: strerror(errno)))
      }
      done += count
    }
    lock.lock()
    for offset in pendingOffsets { offsets.append(begin + offset) }
    peers += pendingPeers
    for _ in pendingOffsets {
      let latency = Latency(arrival: arrival, published: now)
      let index = latencies.count
      if index < Self.rememberedLatencies {
        latencies.append(latency)
      } else {
        latencies[(peers.count - 1) % Self.rememberedLatencies] = latency
      }
    }
    let waiting = Array(readers.values)
    lock.unlock()
    pending.removeAll(keepingCapacity: true)
    pendingOffsets.removeAll(keepingCapacity: true)
    pendingPeers.removeAll(keepingCapacity: true)
    for reader in waiting { reader.yield() }
  }

  /// No more updates come.
  package func finish() {
    lock.withLock { isFinal = true }
    for reader in lock.withLock({ Array(readers.values) }) { reader.yield() }
  }

  /// Writes the file to disk.
  package func sync() { fdatasync(descriptor) }

  // MARK: reading

  /// Updates so far, and whether they are all.
  package var state: (count: Int, isFinal: Bool) { lock.withLock { (peers.count, isFinal) } }

  /// Bytes of the updates so far.
  package var size: Int { lock.withLock { offsets.last! } }

  /// The lines of a range of updates, without their line breaks.
  package func lines(_ range: Range<Int>) throws(LogError) -> [[UInt8]] {
    guard !range.isEmpty else { return [] }
    let bounds = lock.withLock { Array(offsets[range.lowerBound...range.upperBound]) }
    let begin = bounds[0]
    var bytes = [UInt8](repeating: 0, count: bounds.last! - begin)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + done, $0.count - done, off_t(begin + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .file(path: path, cause: "cannot be read") }
      done += count
    }
    return (0..<range.count).map { Array(bytes[(bounds[$0] - begin)..<(bounds[$0 + 1] - begin - 1)]) }
  }

  /// The peers of a range of updates; nil for the session's own.
  package func peers(_ range: Range<Int>) -> [String?] { lock.withLock { range.map { names[Int(peers[$0])] } } }

  /// When an update came to be; nil where that is forgotten.
  package func latency(_ index: Int) -> Latency? {
    lock.withLock {
      guard index < peers.count, index >= peers.count - latencies.count else { return nil }
      return latencies[index % Self.rememberedLatencies]
    }
  }

  /// A signal for every change, newest only, and what ends it.
  package func changes() -> (signals: AsyncStream<Void>, number: Int) {
    let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = lock.withLock {
      nextReader += 1
      readers[nextReader] = continuation
      return nextReader
    }
    return (signals, number)
  }

  /// Ends a reader's signals.
  package func leave(_ number: Int) { lock.withLock { readers.removeValue(forKey: number) }?.finish() }

  /// Wakes all readers: the state has changed, or the service stops.
  package func wake() { for reader in lock.withLock({ Array(readers.values) }) { reader.yield() } }

  /// Readers at present.
  package var readerCount: Int { lock.withLock { readers.count } }
}
