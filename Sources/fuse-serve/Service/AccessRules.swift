import Foundation
import LiveSessions
import NIOConcurrencyHelpers

/// Whose requests are answered, by their headers: pure.
///
/// A page of another origin must not speak for its reader, and a name that somebody points at this machine must not reach
/// it (DNS rebinding).
package struct AccessRules: Sendable {
  /// What is wrong with the host of a request.
  package enum HostFault: Equatable, Sendable {
    /// None, more than one, or none that can be one (RFC 9112, 3.2).
    case malformed(String)
    /// Another service's.
    case foreign
  }

  /// Whether only this machine can connect: then only its names are good.
  package var isLoopback: Bool
  /// Further names.
  package var hosts: [String]
  /// Further origins.
  package var origins: [String]

  /// Rules from their parts.
  package init(isLoopback: Bool, hosts: [String], origins: [String]) {
    (self.isLoopback, self.hosts, self.origins) = (isLoopback, hosts, origins)
  }

  /// Whether an address to bind to is this machine's own.
  package static func isLoopback(_ address: String) -> Bool {
    if ["::1", "localhost"].contains(address.lowercased()) { return true }
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// What is wrong with the host of a request; nil where nothing is.
  ///
  /// - Parameters:
  ///   - host: the Host header, or what HTTP/2 has for it.
  ///   - further: Host headers beside it, and the host that the target names.
  package func fault(host: String?, further: [String]) -> HostFault? {
    guard let host, !host.isEmpty else { return .malformed("no Host") }
    guard further.isEmpty else { return .malformed("more than one Host, or a target with another") }
    guard Self.isHost(host) else { return .malformed("a Host that is none") }
    return permits(host: host) ? nil : .foreign
  }

  /// The host that the target of a request names beside its Host header; nil where it names none or the same.
  ///
  /// A target in absolute form has a host of its own (RFC 9112, 3.2.2); what is no address of HTTP counts as one.
  package static func otherHost(target: String, host: String?) -> String? {
    if target.hasPrefix("/") || target == "*" { return nil }
    guard let scheme = target.firstRange(of: "://"),
      ["http", "https"].contains(target[..<scheme.lowerBound].lowercased())
    else { return target }
    let authority = target[scheme.upperBound...].prefix { !"/?#".contains($0) }
    return authority.lowercased() == host?.lowercased() ? nil : String(authority)
  }

  /// Whether a Host header is one of this service; with or without its port.
  private func permits(host: String) -> Bool {
    let name = Self.name(host)
    if hosts.contains(name) { return true }
    if isLoopback || !hosts.isEmpty { return ["localhost", "127.0.0.1", "[::1]"].contains(name) }
    return true
  }

  /// Whether a request with this Origin header may be answered: its own pages, permitted origins, and no browser at all.
  package func permits(origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    if origins.contains(origin) { return true }
    guard let host, let scheme = origin.firstRange(of: "://") else { return false }
    return origin[scheme.upperBound...].lowercased() == host.lowercased()
  }

  /// The host without its port.
  private static func name(_ host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]).lowercased() }
    return String(host.prefix { $0 != ":" }).lowercased()
  }

  /// A name or an address, with a port or without.
  private static func isHost(_ text: String) -> Bool {
    var rest = Substring(text)
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return false }
      let address = rest[rest.index(after: rest.startIndex)..<end]
      guard !address.isEmpty, address.utf8.allSatisfy({ isHexadecimal($0) || $0 == 58 || $0 == 46 }) else {
        return false
      }
      rest = rest[rest.index(after: end)...]
    } else {
      let name = rest.prefix { $0 != ":" }
      guard !name.isEmpty, name.utf8.allSatisfy({ isNameByte($0) }) else { return false }
      rest = rest[name.endIndex...]
    }
    // The port may be empty (RFC 3986, 3.2.3).
    let port = rest.dropFirst().utf8
    return rest.isEmpty || (rest.hasPrefix(":") && port.count <= 5 && port.allSatisfy { (48...57).contains($0) })
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || [45, 46, 95].contains(byte)
  }
}

/// Who may create sessions and operate: from a file or the environment, so that no token is in a process list; read again
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

  /// Reads them again; after an error those of before stay.
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
