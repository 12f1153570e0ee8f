import Foundation

/// A file that appears under its name only when it is whole: written beside it, renamed at the end.
///
/// Buffered; a failed write is remembered by throwing at once. Without `commit()` nothing is left behind.
package final class AtomicFile {
  private let path: String
  private let partialPath: String
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private var partialExists = true
  private static let bufferSize = 1 << 16

  /// Starts writing what shall become `folder/name`.
  package init(folder: String, name: String) throws(OutputError) {
    path = folder + "/" + name
    partialPath = folder + "/." + name + ".partial"
    descriptor = open(partialPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
  }

  deinit { abandon() }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Puts the whole file under its name, in place of an older one.
  package func commit() throws(OutputError) {
    try finishWriting()
    guard rename(partialPath, path) == 0 else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
    partialExists = false
  }

  /// Flushes and closes, so that everything that can fail for want of space has failed before the first rename.
  package func finishWriting() throws(OutputError) {
    guard descriptor >= 0 else { return }
    try flush()
    let status = close(descriptor)
    descriptor = -1
    guard status == 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
  }

  /// Throws away what was written.
  package func abandon() {
    if descriptor >= 0 {
      close(descriptor)
      descriptor = -1
    }
    if partialExists {
      unlink(partialPath)
      partialExists = false
    }
  }

  private func flush() throws(OutputError) {
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress! + done, $0.count - done) }
      if count < 0 {
        if errno == EINTR { continue }
        throw .file(path: path, cause: String(cString: strerror(errno)))
      }
      done += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
