import Datasets
import Foundation
import JSONText

/// The tokens that may create sessions, and operate: names, with limits for the sessions of each.
///
/// The service keeps their hashes only.
package struct AccessTokens: Sendable {
  /// One token.
  package struct Token: Equatable, Sendable {
    /// Whose sessions it makes.
    package var name: String
    /// Its hash.
    package var hash: TokenHash
    /// Whether it may see everybody's sessions and the metrics.
    package var isOperator: Bool
    /// Limits of its sessions together.
    package var quota = Account.Quota()
  }

  /// What is wrong with a file of tokens.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package var description: String
  }

  /// The tokens.
  package private(set) var all: [Token] = []

  /// No tokens: anybody may create sessions.
  package init() {}

  /// One token with an operator's rights.
  package init(single token: String) {
    all = [Token(name: SessionIdentity.defaultOwner, hash: TokenHash(of: token), isOperator: true)]
  }

  /// Adds the tokens of a file:
  /// `{"tokens":[{"name":"lab","sha256":"<64 digits>","operator":true,"sessions":20,...}]}`, or `"token"` instead of
  /// `"sha256"`.
  ///
  /// - Throws: `Fault` with the entry and what was found and expected.
  package mutating func add(file bytes: [UInt8]) throws(Fault) {
    guard let tree = JSONValue(parsing: bytes), case .array(let entries)? = tree["tokens"] else {
      throw Fault(description: "found no JSON of tokens, expected {\"tokens\":[{\"name\":...,\"sha256\":...},...]}")
    }
    for (index, entry) in entries.enumerated() {
      let token = try Self.token(entry, "token \(index + 1)")
      if all.contains(where: { $0.name == token.name }) {
        throw Fault(description: "token \(index + 1): found the name \(token.name) twice, expected each once")
      }
      if all.contains(where: { $0.hash == token.hash }) {
        throw Fault(description: "token \(index + 1): found the token of another name, expected each to be its own")
      }
      all.append(token)
    }
  }

  private static let known = [
    "name", "token", "sha256", "operator", "sessions", "eventsPerSecond", "updatesPerSecond", "bytes",
  ]

  private static func token(_ entry: JSONValue, _ place: String) throws(Fault) -> Token {
    func fault(_ found: String, _ expected: String) -> Fault {
      Fault(description: "\(place): found \(found), expected \(expected)")
    }
    guard case .object(let members) = entry else { throw fault("no object", "name, token or sha256, limits") }
    if let other = members.first(where: { !known.contains($0.key) }) {
      throw fault("the key \(other.key.prefix(30))", known.joined(separator: ", "))
    }
    guard case .string(let name)? = entry["name"], isName(name) else {
      throw fault("no name", "one of letters, digits, '.', '_' and '-', at most 64")
    }
    let hash: TokenHash
    switch (entry["token"], entry["sha256"]) {
    case (.string(let text)?, nil):
      guard text.utf8.count >= 16 else { throw fault("a token of \(text.utf8.count) bytes", "at least 16") }
      hash = TokenHash(of: text)
    case (nil, .string(let text)?):
      let isHash = text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
      guard isHash else { throw fault("another sha256", "64 hexadecimal digits in lower case") }
      hash = TokenHash(hexadecimal: text)
    default: throw fault("no token", "either token or sha256, a text")
    }
    var token = Token(name: name, hash: hash, isOperator: false)
    switch entry["operator"] {
    case nil, .null?: break
    case .bool(let value)?: token.isOperator = value
    default: throw fault("another operator", "true or false")
    }
    token.quota.sessions = try limit("sessions").map { Int($0) }
    token.quota.eventsPerSecond = try limit("eventsPerSecond")
    token.quota.updatesPerSecond = try limit("updatesPerSecond")
    token.quota.bytes = try limit("bytes").map { Int($0) }
    return token

    func limit(_ key: String) throws(Fault) -> Double? {
      switch entry[key] {
      case nil, .null?: return nil
      case .integer(let value)? where value > 0 && value < 1 << 53: return Double(value)
      case .number(let value)? where value >= 1 && value < 1e15: return value
      default: throw fault("another \(key)", "a number from 1")
      }
    }
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || [45, 46, 95].contains(byte)
      }
  }

  /// The token whose secret this is; takes as long whichever it is.
  package func token(_ secret: String) -> Token? {
    all.reduce(nil) { found, token in token.hash.matches(secret) ? token : found }
  }
}

/// Who sessions belong to: a name with limits for all its sessions together.
package final class Account: @unchecked Sendable {
  /// Limits; nil: none but the service's.
  package struct Quota: Equatable, Sendable {
    /// Open sessions.
    package var sessions: Int?
    /// Measurements a second.
    package var eventsPerSecond: Double?
    /// Updates a second.
    package var updatesPerSecond: Double?
    /// Bytes of batches and updates that are kept.
    package var bytes: Int?

    /// No limits.
    package init() {}
  }

  /// The name.
  package let name: String
  private let lock = NSLock()
  private var quota: Quota
  private var events: RateLimit?
  private var updates: RateLimit?
  private var kept = 0

  /// An account with its limits.
  package init(name: String, quota: Quota = Quota()) {
    self.name = name
    self.quota = quota
    (events, updates) = (quota.eventsPerSecond.map(RateLimit.init), quota.updatesPerSecond.map(RateLimit.init))
  }

  /// Other limits from now on.
  package func change(_ quota: Quota) {
    lock.withLock {
      guard quota != self.quota else { return }
      self.quota = quota
      (events, updates) = (quota.eventsPerSecond.map(RateLimit.init), quota.updatesPerSecond.map(RateLimit.init))
    }
  }

  /// Open sessions at most.
  package var sessions: Int? { lock.withLock { quota.sessions } }

  /// Bytes that are kept.
  package var bytes: Int { lock.withLock { kept } }

  /// Takes a batch of so many measurements; returns the seconds to wait where that is too much.
  func take(_ count: Int, at now: Double) -> Double? {
    lock.withLock {
      if let wait = updates?.take(0, at: now) { return wait }
      return events?.take(count, at: now)
    }
  }

  /// Updates came.
  func spend(updates count: Int, at now: Double) { lock.withLock { updates?.spend(count, at: now) } }

  /// Bytes are kept from now on, or no longer.
  func keep(_ bytes: Int) { lock.withLock { kept += bytes } }

  /// The bytes that may be kept, where there are as many already.
  var exceededBytes: Int? { lock.withLock { quota.bytes.flatMap { kept >= $0 ? $0 : nil } } }
}

/// Accounts by name.
final class Accounts: @unchecked Sendable {
  private let lock = NSLock()
  private var known: [String: Account] = [:]

  /// The account of a name, made where there is none.
  func account(_ name: String) -> Account {
    lock.withLock {
      if let account = known[name] { return account }
      let account = Account(name: name)
      known[name] = account
      return account
    }
  }
}

/// A token bucket, with the clock given: pure.
package struct RateLimit: Equatable, Sendable {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var last: Double?

  /// A limit of events a second; a burst of two seconds passes.
  package init(perSecond: Double) {
    self.perSecond = perSecond
    burst = 2 * perSecond
    tokens = burst
  }

  /// Takes `count` at a time in seconds; returns the seconds to wait where there are too many. A batch larger than the
  /// burst passes when the bucket is full.
  package mutating func take(_ count: Int, at now: Double) -> Double? {
    if let last, now > last { tokens = min(burst, tokens + (now - last) * perSecond) }
    last = max(last ?? now, now)
    let needed = min(Double(count), burst)
    guard tokens >= needed else { return (needed - tokens) / perSecond }
    tokens -= Double(count)
    return nil
  }

  /// Takes what has already come, however much: later ones wait until it is made up for.
  package mutating func spend(_ count: Int, at now: Double) {
    if let last, now > last { tokens = min(burst, tokens + (now - last) * perSecond) }
    last = max(last ?? now, now)
    tokens -= Double(count)
  }
}
