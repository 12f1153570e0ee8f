import Foundation

/// The one lock of all sessions and devices in the process.
///
/// Paired devices read each other's sessions; a single lock rules out lock-order inversion. It guards small state only:
/// no estimate is computed and no callback is made while it is held.
enum SessionLock {
  private static let lock = NSRecursiveLock()

  static func withLock<T>(_ body: () throws -> T) rethrows -> T {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
