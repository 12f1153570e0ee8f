import Foundation
import Logging

/// Names a limit in the log when it is reached, and says when none is left.
///
/// A limit may come and go between two looks, so a refused request names it, too. It is one line until a look finds it
/// gone.
final class ReadinessLog: @unchecked Sendable {
  private let lock = NSLock()
  private var named: Set<String> = []
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// A request was refused for a limit with this word.
  func refused(_ word: String) {
    guard lock.withLock({ named.insert(word).inserted }) else { return }
    logger.warning("not ready: \(word): a request was refused for it")
  }

  /// What new sessions lack now, each with its word in front (`LiveService.causes`).
  func look(_ causes: [String]) {
    let words = causes.map { String($0.prefix { $0 != ":" }) }
    let before = lock.withLock {
      defer { named = Set(words) }
      return named
    }
    let fresh = zip(words, causes).filter { !before.contains($0.0) }.map(\.1)
    if !fresh.isEmpty { logger.warning("not ready: \(fresh.joined(separator: "; "))") }
    if words.isEmpty, !before.isEmpty { logger.notice("ready again") }
  }
}
