import Foundation

/// A file written atomically: under a temporary name, renamed at the end.
///
/// Buffered; a failed write throws immediately. Without `commit()` nothing is left behind.
package final class AtomicFile {
  private let path: String
  private let partialPath: String
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private var partialExists = true
  private static let bufferSize = 1 << 16

  /// Starts writing `folder/name`.
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

  /// Renames the file to its name, replacing an older one.
  package func commit() throws(OutputError) {
    try finishWriting()
    guard rename(partialPath, path) == 0 else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
    partialExists = false
  }

  /// Flushes and closes, so that errors of a full disk occur before the first rename.
  package func finishWriting() throws(OutputError) {
    guard descriptor >= 0 else { return }
    try flush()
    let status = close(descriptor)
    descriptor = -1
    guard status == 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
  }

  /// Discards the file.
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
