import Foundation

/// Files of the log: whole segments, single records, writing, rewriting.
enum SegmentFile {
  /// A block that the disk reads or does not, bytes.
  private static let block = 4096

  /// The bytes of a file, and the stretches that the disk does not give, which read as zeros.
  ///
  /// - Throws: `LogError.file` where the file cannot be opened or is none: it is never taken for an empty one.
  static func read(_ path: String) throws(LogError) -> (bytes: [UInt8], unreadable: [Range<Int>]) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw error(path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw error(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .file(path: path, cause: "no regular file") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var unreadable: [Range<Int>] = []
    var at = 0
    while at < bytes.count {
      // Whole blocks after a failure, so that one bad sector costs no more than itself.
      let most = unreadable.isEmpty ? bytes.count - at : min(bytes.count, (at / block + 1) * block) - at
      let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress! + at, most, off_t(at)) }
      if count > 0 {
        at += count
      } else if count == 0 {
        bytes.removeLast(bytes.count - at)
      } else if errno == EIO {
        let end = min(bytes.count, (at / block + 1) * block)
        unreadable.append(at..<end)
        at = end
      } else if errno != EINTR {
        throw error(path)
      }
    }
    return (bytes, unreadable)
  }

  /// Writes all bytes at the file's position; false with `errno` where that fails.
  static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
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

  /// A file that appears at once, whole and on disk; its folder is not synced.
  static func replace(_ path: String, with bytes: [UInt8]) throws(LogError) {
    let partial = try partial(path, with: bytes)
    guard rename(partial, path) == 0 else {
      let failure = error(path)
      unlink(partial)
      throw failure
    }
  }

  /// Writes what is to take the place of a file beside it, on disk; its path, for `rename`.
  static func partial(_ path: String, with bytes: [UInt8]) throws(LogError) -> String {
    let partial = path + ".partial"
    let file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw error(partial) }
    let isWritten = write(bytes, to: file) && fdatasync(file) == 0
    let failure = error(partial)
    close(file)
    guard isWritten else {
      unlink(partial)
      throw failure
    }
    return partial
  }

  /// What `errno` says of a path.
  static func error(_ path: String) -> LogError {
    errno == ENOSPC || errno == EDQUOT ? .full(path: path) : .file(path: path, cause: String(cString: strerror(errno)))
  }
}

/// Single records of one segment, by their offsets.
final class SegmentReader {
  private let path: String
  private let file: Int32
  /// The segment, once something in it was not where it should be.
  private var whole: (bytes: [UInt8], format: Int)?

  init(_ path: String) throws(LogError) {
    self.path = path
    file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SegmentFile.error(path) }
  }

  deinit { close(file) }

  /// Calls `body` with the records at these places of a log, in their order, until it returns false.
  static func read(_ folder: String, _ places: [LogReading.Place], _ body: (LogRecord) throws -> Bool) throws {
    var open: (segment: Int, reader: SegmentReader)?
    for place in places {
      if open?.segment != place.segment {
        open = (place.segment, try SegmentReader("\(folder)/\(LogDamage.name(place.segment))"))
      }
      guard try body(open!.reader.record(at: place.offset)) else { return }
    }
  }

  /// The record that begins at an offset.
  func record(at offset: Int) throws(LogError) -> LogRecord {
    if whole == nil, let record = direct(offset) { return record }
    if whole == nil {
      let bytes = try SegmentFile.read(path).bytes
      whole = (bytes, bytes.withUnsafeBytes { LogFormat.header($0)?.format ?? 2 })
    }
    let (bytes, format) = whole!
    guard let record = bytes.withUnsafeBytes({ LogScan.item($0, at: offset, format: format)?.record }) else {
      throw .file(path: path, cause: "the record at byte \(offset) is damaged, expected it as it was at the start")
    }
    return record
  }

  /// The same by two small reads, in a segment of format 2 without damage there.
  private func direct(_ offset: Int) -> LogRecord? {
    guard let front = read(offset, LogFormat.Head.size),
      let head = front.withUnsafeBytes({ LogFormat.Head($0, at: 0, .front) }),
      let payload = read(offset + LogFormat.Head.size, head.length)
    else { return nil }
    return payload.withUnsafeBytes { head.record($0) }
  }

  private func read(_ offset: Int, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(file, $0.baseAddress! + done, count - done, off_t(offset + done))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }
}

/// A segment without the records of some sessions, as a compaction writes it. Pure: it reads one closed segment.
struct SegmentRewriting {
  /// The new file; nil where only its header would be left.
  private(set) var bytes: [UInt8]?
  /// New offsets of the records that stay, by their old ones.
  private(set) var moved: [Int: Int] = [:]
  /// Whether anything goes.
  private(set) var isChanged = false
  /// What is not as it was written: nothing may be rewritten then.
  private(set) var damage: Range<Int>?

  /// - Parameters:
  ///   - sessions: what goes.
  ///   - pinned: sessions with records in damaged segments, whose deletion stays on record.
  ///   - list: where the newest list of removed segments is, if it is in this one; others are outdated.
  /// - Throws: `LogError.file` where the segment cannot be read.
  init(
    _ path: String, version: String, without sessions: Set<UInt64>, pinned: Set<UInt64>, list: Int?
  ) throws(LogError) {
    let (source, unreadable) = try SegmentFile.read(path)
    var kept = LogFormat.header(version: version)
    let empty = kept.count
    damage = unreadable.first
    source.withUnsafeBytes { bytes in
      guard let header = LogFormat.header(bytes) else {
        damage = damage ?? 0..<empty
        return
      }
      var at = header.length
      while let item = LogScan.item(bytes, at: at, format: header.format) {
        at = item.range.upperBound
        guard let record = item.record else {
          damage = damage ?? item.range
          continue
        }
        let isOld = record.kind == .removed && list != item.range.lowerBound
        let isGone = sessions.contains(record.session) && !(record.kind == .delete && pinned.contains(record.session))
        guard !isOld, !isGone else {
          isChanged = true
          continue
        }
        moved[item.range.lowerBound] = kept.count
        LogFormat.append(record, to: &kept)
      }
    }
    if kept.count > empty { bytes = kept }
  }
}

/// A file that only the user can read, open as long as somebody holds it.
final class StoredFile: @unchecked Sendable {
  private let path: String
  private let descriptor: Int32

  /// Opens a file, creating it where it is missing.
  init(path: String, truncates: Bool) throws(LogError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (truncates ? O_TRUNC : 0), 0o600)
    guard descriptor >= 0 else { throw Self.error(path) }
  }

  deinit { close(descriptor) }

  private static func error(_ path: String) -> LogError {
    switch errno {
    case ENOSPC, EDQUOT: .full(path: path)
    case EMFILE, ENFILE: .descriptor(path: path)
    default: .file(path: path, cause: String(cString: strerror(errno)))
    }
  }

  /// Bytes in it.
  var size: Int {
    get throws(LogError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Self.error(path) }
      return Int(status.st_size)
    }
  }

  /// Writes bytes at an offset.
  func write(_ bytes: [UInt8], at offset: Int) throws(LogError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + done, $0.count - done, off_t(offset + done))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.error(path)
      }
      done += count
    }
  }

  /// Bytes at an offset, all of them.
  func read(at offset: Int, count: Int) throws(LogError) -> [UInt8] {
    var failure: LogError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      while filled < count {
        let got = pread(descriptor, room.baseAddress! + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else {
          failure =
            got == 0
            ? .file(path: path, cause: "ends at byte \(offset + filled), expected \(offset + count)") : Self.error(path)
          return
        }
        filled += got
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes the file to disk.
  func sync() { fdatasync(descriptor) }
}
