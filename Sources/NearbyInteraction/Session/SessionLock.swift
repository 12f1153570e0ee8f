import Foundation

/// The one lock of all sessions and devices in the process.
///
/// Paired devices look into each other's sessions; one lock cannot be taken in the wrong order. It guards small state only:
/// no estimate is computed and no callback made while it is held.
enum SessionLock {
  private static let lock = NSRecursiveLock()

  static func withLock<T>(_ body: () throws -> T) rethrows -> T {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
