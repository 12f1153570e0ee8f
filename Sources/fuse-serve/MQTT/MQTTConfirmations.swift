import Foundation
import LiveSessions

/// How many of a session's updates the broker has confirmed, in the session's folder: that outlives the process.
struct MQTTConfirmations {
  /// What is in the files, by session.
  private var written: [String: Int] = [:]

  private static func path(_ session: LiveSession) -> String { "\(session.folder)/mqtt" }

  /// What was confirmed before; none where nothing is known.
  func count(_ session: LiveSession) -> Int {
    let text = FileManager.default.contents(atPath: Self.path(session)).map { String(decoding: $0, as: UTF8.self) }
    return max(0, min(text.flatMap(Int.init) ?? 0, session.updates.state.count))
  }

  /// Writes it down, where that is news.
  mutating func remember(_ session: LiveSession, _ count: Int) {
    guard written.updateValue(count, forKey: session.identity.id) != count else { return }
    let file = open(Self.path(session), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    // As wide as any number: a longer one is not left behind a shorter one.
    let text = "\(count)"
    let bytes = Array((String(repeating: "0", count: 19 - text.count) + text).utf8)
    _ = pwrite(file, bytes, bytes.count, 0)
    close(file)
  }

  /// A session is gone.
  mutating func forget(_ id: String) { written[id] = nil }
}
