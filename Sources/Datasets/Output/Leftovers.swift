import Foundation

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
