import CDigest
import Foundation

/// A file written atomically: whole under a temporary name, on disk, then renamed.
///
/// Buffered; a failed write throws immediately. Without `commit()` nothing is left behind. The temporary name is
/// `.name.partial`: what an ended process left there is replaced, whatever it is, and never written through; what
/// another process writes to is left to it. Only a regular file that may be written is replaced, with its permissions.
package final class AtomicFile {
  /// Size and hash of what was written.
  package struct Fingerprint: Equatable, Sendable {
    /// Bytes.
    package var size: Int
    /// 64 lower-case hexadecimal digits.
    package var sha256: String
  }

  /// The name in its folder.
  package let name: String
  private let path: String
  /// The path in errors.
  private let shown: String
  private let partialPath: String
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private var partialExists = true
  private var hash = SHA256()
  private var size = 0
  /// Size and hash; nil until the file is finished.
  package private(set) var fingerprint: Fingerprint?
  private static let bufferSize = 1 << 16

  /// Starts writing `folder/name`.
  ///
  /// - Parameter shownAs: the path in errors, where a person knows the file by another.
  /// - Throws: `OutputError.occupied` for what is there and must not be replaced, `.busy` for a file that another process
  ///   writes, `.file`.
  package init(folder: String, name: String, shownAs: String? = nil) throws(OutputError) {
    self.name = name
    path = folder + "/" + name
    shown = shownAs ?? path
    partialPath = folder + "/." + name + ".partial"
    try OutputTarget.checkReplaceable(path)
    let (partialPath, shown) = (partialPath, shown)
    descriptor = try Leftovers.undisturbed { () throws(OutputError) in
      let descriptor = try Self.open(partialPath, for: shown)
      Leftovers.add(partialPath)
      return descriptor
    }
  }

  deinit { abandon() }

  /// Opens an empty regular file of that name, which belongs to this process alone.
  private static func open(_ partialPath: String, for path: String) throws(OutputError) -> Int32 {
    // More turns are needed only where another process removes and creates the same names meanwhile.
    for _ in 0..<100 {
      // Neither follows a link nor waits for the reader of a pipe.
      let descriptor = Foundation.open(
        partialPath, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
      if descriptor < 0 {
        let cause = errno
        guard cause == ELOOP || cause == ENXIO, unlink(partialPath) == 0 || errno == ENOENT else {
          throw .file(path: path, cause: String(cString: strerror(cause)))
        }
        continue
      }
      var (opened, named) = (stat(), stat())
      let isOwn = fstat(descriptor, &opened) == 0 && opened.st_mode & S_IFMT == S_IFREG && opened.st_nlink == 1
      guard isOwn || opened.st_nlink == 0 else {
        // A second name of another file, a device, a pipe with a reader.
        close(descriptor)
        guard unlink(partialPath) == 0 || errno == ENOENT else {
          throw .file(path: path, cause: String(cString: strerror(errno)))
        }
        continue
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let cause = errno
        close(descriptor)
        if cause == EWOULDBLOCK { throw .busy(path: path) }
        throw .file(path: path, cause: String(cString: strerror(cause)))
      }
      // The process that held it may have renamed or removed it since.
      if lstat(partialPath, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev,
        ftruncate(descriptor, 0) == 0
      {
        return descriptor
      }
      close(descriptor)
    }
    throw .busy(path: path)
  }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Renames the file to its name, replacing an older one. Both are on disk when it returns.
  package func commit() throws(OutputError) {
    try finishWriting()
    try OutputTarget.checkReplaceable(path)
    if let older = try OutputTarget.status(path) { fchmod(descriptor, older.st_mode & 0o7777) }
    guard rename(partialPath, path) == 0 else { throw failure() }
    partialExists = false
    Leftovers.forget(partialPath)
    release()
    try OutputTarget.syncFolder(OutputTarget.split(path).folder)
  }

  /// Writes everything out and syncs it, so that errors of a disk occur before the rename. It stays locked until then.
  package func finishWriting() throws(OutputError) {
    guard fingerprint == nil, descriptor >= 0 else { return }
    try flush()
    guard fdatasync(descriptor) == 0 else { throw failure() }
    fingerprint = Fingerprint(size: size, sha256: hash.finish())
  }

  private func failure() -> OutputError { .file(path: shown, cause: String(cString: strerror(errno))) }

  /// Discards the file.
  package func abandon() {
    if partialExists {
      unlink(partialPath)
      partialExists = false
      Leftovers.forget(partialPath)
    }
    release()
  }

  private func release() {
    guard descriptor >= 0 else { return }
    // A process that another thread has just begun still has the descriptor, and with it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    descriptor = -1
  }

  private func flush() throws(OutputError) {
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress! + done, $0.count - done) }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure()
      }
      done += count
    }
    hash.add(buffer)
    size += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }
}

/// What this process is writing and has not finished: it goes when the process is told to end.
///
/// Writers name their temporary files and folders here; the command removes them on SIGHUP, SIGINT and SIGTERM. What a
/// killed process leaves is replaced by the next writer of the same name.
package enum Leftovers {
  private static let lock = NSRecursiveLock()
  nonisolated(unsafe) private static var paths: Set<String> = []

  /// Names a file or folder that is to go.
  package static func add(_ path: String) { lock.withLock { _ = paths.insert(path) } }

  /// It has its name, or is gone.
  package static func forget(_ path: String) { lock.withLock { _ = paths.remove(path) } }

  /// Removes one of them, which is not wanted. A signal waits: two that remove a tree at once stop at what the other one
  /// has removed.
  package static func remove(_ path: String) {
    lock.withLock {
      try? FileManager.default.removeItem(atPath: path)
      paths.remove(path)
    }
  }

  /// Runs steps that belong together, such as making a folder and naming it here: a signal waits for their end.
  package static func undisturbed<Result, Failure: Error>(
    _ steps: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try steps()
  }

  /// Removes all of them, once and for all: what would be written from now on waits for the end of the process.
  package static func removeForGood() {
    lock.lock()
    for path in paths { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Does not return where the process is ending: errors by then come from what was removed.
  package static func waitIfEnding() { lock.withLock {} }
}

/// Why results could not be written.
package enum OutputError: Error, Equatable, CustomStringConvertible {
  /// The folder cannot be made or opened.
  case folder(path: String, cause: String)
  /// Another process is writing there.
  case busy(path: String)
  /// A file cannot be written.
  case file(path: String, cause: String)
  /// What is there is not to be replaced.
  case occupied(path: String, found: String)
  /// The output would replace what the command reads.
  case input(path: String)

  package var description: String {
    switch self {
    case .folder(let path, let cause): "\(path): cannot be used as the output folder: \(cause)"
    case .busy(let path): "\(path): another process is writing there, expected one at a time"
    case .file(let path, let cause): "\(path): cannot be written: \(cause)"
    case .occupied(let path, let found):
      "\(path): found \(found), expected a regular file that may be written, or nothing; it is left as it is"
    case .input(let path): "\(path): is an input of this command, expected an output beside it; it is left as it is"
    }
  }
}
