import Foundation

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
