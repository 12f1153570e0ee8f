import Foundation
import RunResults

/// Warnings of concurrent trials: those that read the same recording say each of them once.
final class OnceWritten: @unchecked Sendable {
  // Guarded by `lock`.
  private var written: Set<String> = []
  private let lock = NSLock()

  /// Writes a warning to standard error, unless it was written before.
  func warn(_ text: String) {
    if lock.withLock({ written.insert(text).inserted }) { StandardError.warn(text) }
  }
}
