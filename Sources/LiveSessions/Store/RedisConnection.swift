import CRedis
import Foundation

/// Where a Redis server is: `redis://[user[:password]@]host[:port][/database]`.
package struct RedisAddress: Equatable, Sendable {
  package var host: String
  package var port = 6379
  var user: String?
  var password: String?
  var database: Int?

  /// What is wrong with an address.
  package struct Fault: Error, Equatable, CustomStringConvertible { package var description: String }

  /// Reads an address. The password is in no message.
  package init(_ text: String) throws(Fault) {
    let expected = "expected redis://[user:password@]host[:port][/database]"
    guard text.hasPrefix("redis://") else { throw Fault(description: "another address of a store, \(expected)") }
    var rest = text.dropFirst("redis://".count)
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let decoded = parts.map { $0.removingPercentEncoding }
      guard !decoded.contains(nil) else { throw Fault(description: "a user or password that is none, \(expected)") }
      (user, password) = parts.count == 2 ? (decoded[0], decoded[1]) : (nil, decoded[0])
      if user == "" { user = nil }
      rest = rest[rest.index(after: at)...]
    }
    if let slash = rest.firstIndex(of: "/") {
      let text = rest[rest.index(after: slash)...]
      if !text.isEmpty {
        guard let number = Int(text), number >= 0 else { throw Fault(description: "another database, \(expected)") }
        database = number
      }
      rest = rest[..<slash]
    }
    var name = rest
    if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
      guard let number = Int(rest[rest.index(after: colon)...]), (1...65_535).contains(number) else {
        throw Fault(description: "another port, \(expected)")
      }
      port = number
      name = rest[..<colon]
    }
    host = String(name).trimmingCharacters(in: ["[", "]"])
    guard !host.isEmpty else { throw Fault(description: "no host, \(expected)") }
  }

  /// Without user and password, for people.
  package var name: String { "redis://\(host):\(port)" }
}

/// One connection to Redis, made when it is needed and again after it failed. Used by one thread at a time; blocks.
final class RedisConnection {
  /// What the server answers.
  enum Reply: Equatable {
    case nothing
    case text([UInt8])
    case number(Int)
    case list([Reply])
    case error(String)

    var words: [Reply] { if case .list(let words) = self { words } else { [] } }
    var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }
    var string: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
  }

  /// The server cannot be reached, or not now; in words.
  struct Unreachable: Error { var words: String }

  private let address: RedisAddress
  private let patience: Int32
  private var connection: OpaquePointer?

  /// - Parameter patience: milliseconds that the server may take for an answer.
  init(_ address: RedisAddress, patience: Int32) { (self.address, self.patience) = (address, patience) }

  deinit { close() }

  func close() {
    if let connection { fuse_redis_close(connection) }
    connection = nil
  }

  /// Sends commands together and returns their replies. After an error nobody knows which of them were carried out.
  func run(_ commands: [[[UInt8]]]) throws(Unreachable) -> [Reply] {
    if connection == nil { try open() }
    return try exchange(commands)
  }

  /// One command of words.
  func run(_ words: String...) throws(Unreachable) -> Reply { try run([words.map { Array($0.utf8) }])[0] }

  private func open() throws(Unreachable) {
    var error = [CChar](repeating: 0, count: 256)
    connection = fuse_redis_open(address.host, Int32(address.port), patience, &error, error.count)
    guard connection != nil else { throw unreachable(error) }
    var commands: [[[UInt8]]] = []
    if let password = address.password {
      commands.append((["AUTH"] + (address.user.map { [$0] } ?? []) + [password]).map { Array($0.utf8) })
    }
    if let database = address.database { commands.append([Array("SELECT".utf8), Array("\(database)".utf8)]) }
    guard !commands.isEmpty else { return }
    for case .error(let words) in try exchange(commands) {
      close()
      throw Unreachable(words: "\(address.name): \(words)")
    }
  }

  private func exchange(_ commands: [[[UInt8]]]) throws(Unreachable) -> [Reply] {
    var error = [CChar](repeating: 0, count: 256)
    for words in commands {
      guard send(words) else {
        close()
        throw Unreachable(words: "\(address.name): no memory")
      }
    }
    var replies: [Reply] = []
    for _ in commands {
      guard let reply = fuse_redis_receive(connection, &error, error.count) else {
        close()
        throw unreachable(error)
      }
      replies.append(Self.read(reply))
      fuse_redis_free(reply)
    }
    // Not ready: a server that loads its data, cannot write it or copies another's is as one that is away.
    for case .error(let words) in replies {
      let code = words.prefix { $0 != " " }
      if ["LOADING", "MISCONF", "READONLY", "MASTERDOWN", "BUSY"].contains(code) {
        close()
        throw Unreachable(words: "\(address.name): \(words)")
      }
    }
    return replies
  }

  private func send(_ words: [[UInt8]]) -> Bool {
    let all = words.flatMap { $0 }
    return all.withUnsafeBufferPointer { bytes in
      // A word without bytes has a place, too.
      let base = UnsafeRawPointer(bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!).assumingMemoryBound(
        to: CChar.self)
      var places: [UnsafePointer<CChar>?] = []
      var begin = 0
      for word in words {
        places.append(base + begin)
        begin += word.count
      }
      return fuse_redis_send(connection, Int32(words.count), places, words.map(\.count)) != 0
    }
  }

  private func unreachable(_ error: [CChar]) -> Unreachable {
    let text = String(decoding: error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return Unreachable(words: "\(address.name): \(text)")
  }

  private static func read(_ reply: UnsafeRawPointer) -> Reply {
    func text() -> [UInt8] {
      var length = 0
      guard let begin = fuse_redis_text(reply, &length) else { return [] }
      return Array(UnsafeRawBufferPointer(start: begin, count: length))
    }
    switch Int(fuse_redis_kind(reply)) {
    case FUSE_REDIS_TEXT: return .text(text())
    case FUSE_REDIS_NUMBER: return .number(Int(fuse_redis_number(reply)))
    case FUSE_REDIS_LIST: return .list((0..<fuse_redis_count(reply)).map { read(fuse_redis_element(reply, $0)) })
    case FUSE_REDIS_ERROR: return .error(String(decoding: text(), as: UTF8.self))
    default: return .nothing
    }
  }
}
