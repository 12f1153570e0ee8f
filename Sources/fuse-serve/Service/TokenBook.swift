import Foundation
import LiveSessions
import NIOConcurrencyHelpers

/// Who may create sessions and operate: from a file or the environment, so that no token is in a process list; read anew
/// on demand.
final class TokenBook: Sendable {
  private let single: String?
  private let file: String?
  private let tokens: NIOLockedValueBox<AccessTokens>

  /// Reads `--auth-token`, or FUSE_AUTH_TOKEN, and `--tokens`.
  ///
  /// - Throws: `CommandError` with what is wrong with them.
  init(single: String?, file: String?) throws {
    (self.single, self.file) = (single, file)
    tokens = NIOLockedValueBox(try Self.read(single, file))
  }

  /// Reads them anew; after an error those of before stay.
  func reload() throws {
    let new = try Self.read(single, file)
    tokens.withLockedValue { $0 = new }
  }

  /// The tokens.
  var all: [AccessTokens.Token] { tokens.withLockedValue { $0.all } }

  /// Whether anybody may create sessions.
  var isOpen: Bool { tokens.withLockedValue { $0.all.isEmpty } }

  /// The token whose secret this is.
  func token(_ secret: String) -> AccessTokens.Token? { tokens.withLockedValue { $0 }.token(secret) }

  private static func read(_ single: String?, _ file: String?) throws -> AccessTokens {
    var tokens = try readSingle(single).map(AccessTokens.init(single:)) ?? AccessTokens()
    guard let file else { return tokens }
    guard let data = FileManager.default.contents(atPath: file), data.count <= 1 << 20 else {
      throw CommandError("--tokens \(file): cannot be read, expected a file of at most 1 MB")
    }
    do throws(AccessTokens.Fault) { try tokens.add(file: Array(data)) } catch {
      throw CommandError("--tokens \(file): \(error)")
    }
    return tokens
  }

  private static func readSingle(_ path: String?) throws -> String? {
    guard let path else {
      let text = ProcessInfo.processInfo.environment["FUSE_AUTH_TOKEN"] ?? ""
      return text.isEmpty ? nil : text
    }
    guard let data = FileManager.default.contents(atPath: path), data.count <= 4096 else {
      throw CommandError("--auth-token \(path.prefix(3))...: no such file, expected a file with the token")
    }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { throw CommandError("--auth-token: an empty file, expected a token") }
    return text
  }
}
