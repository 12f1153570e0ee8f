import Foundation

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
