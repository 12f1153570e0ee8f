import Foundation

/// The folder of a log as a whole: its lock, and what is kept aside of its segments.
enum LogFolder {
  /// A lock of a log's folder, `LOCK_EX` to write and `LOCK_SH` to read; the caller closes the descriptor.
  ///
  /// - Throws: `LogError.busy` where another process has it.
  static func lock(_ folder: String, _ kind: Int32) throws(LogError) -> Int32 {
    let lock = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw SegmentFile.error(folder) }
    guard flock(lock, kind | LOCK_NB) == 0 else {
      Glibc.close(lock)
      throw .busy(path: folder)
    }
    return lock
  }

  /// Cuts the tail of a segment; it is kept aside.
  static func cut(_ name: String, of folder: String, at tail: Int) throws(LogError) {
    let path = "\(folder)/\(name)"
    try keep(name, of: folder, from: tail, as: "\(name).tail-\(tail)")
    let file = Glibc.open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw SegmentFile.error(path) }
    defer { Glibc.close(file) }
    guard ftruncate(file, off_t(tail)) == 0, fsync(file) == 0 else { throw SegmentFile.error(path) }
  }

  /// Copies a segment from a byte on into the folder `damaged`, once.
  static func keep(
    _ name: String, of folder: String, from begin: Int = 0, as copy: String? = nil
  ) throws(LogError) {
    let aside = "\(folder)/damaged", copy = "\(aside)/\(copy ?? name)"
    guard mkdir(aside, 0o700) == 0 || errno == EEXIST else { throw SegmentFile.error(aside) }
    guard access(copy, F_OK) != 0 else { return }
    let bytes = try SegmentFile.read("\(folder)/\(name)").bytes
    try SegmentFile.replace(copy, with: Array(bytes[min(begin, bytes.count)...]))
    let descriptor = Glibc.open(aside, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 {
      fsync(descriptor)
      Glibc.close(descriptor)
    }
  }
}
