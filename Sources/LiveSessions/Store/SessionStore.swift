import CRedis
import Dispatch
import Foundation

/// Where sessions are kept that several nodes serve: Redis, a stream for each. One node owns a session at a time, by a
/// lease that it renews; every lease has a number, its fence, and what is written under an older one is refused. So a
/// node that was away and comes back, whatever it believes, changes nothing.
///
/// Keys of a session, `fuse:{<id>}:` and: `log`, a stream whose entry `N-0` is record `N`, the first its creation;
/// `meta`, the newest fence and the last entry; `owner`, the node with the lease; `wanted`, a node that waits for it.
package final class SessionStore: @unchecked Sendable {
  /// Why something was not done.
  package enum Failure: Error, Equatable, Sendable {
    /// Another node owns the session now.
    case lost
    /// The server does not answer, or refuses; in words.
    case unreachable(String)
    /// There is no such session.
    case unknown
    /// Another node owns it and does not let go, in words.
    case held(String)
    /// Its log is not as it was written; in words.
    case damaged(String)
  }

  /// The right to a session, until another node takes it or it runs out.
  package final class Lease: @unchecked Sendable {
    package let id: String
    let fence: Int
    private let lock = NSLock()
    private var end: UInt64
    private var isOver = false
    /// Records that were handed over, counted from the creation: the next one's entry.
    fileprivate var next: Int

    fileprivate init(id: String, fence: Int, end: UInt64, next: Int) {
      (self.id, self.fence, self.end, self.next) = (id, fence, end, next)
    }

    /// Whether the session is still this node's, as far as it can know.
    package var isHeld: Bool { lock.withLock { !isOver && DispatchTime.now().uptimeNanoseconds < end } }
    fileprivate func extend(to end: UInt64) { lock.withLock { self.end = max(self.end, end) } }
    fileprivate func finish() { lock.withLock { isOver = true } }
  }

  /// Something to be written, in order.
  private struct Entry {
    var lease: Lease?
    /// The command; nil: nothing, but in its place.
    var command: [[UInt8]]?
    /// When nobody waits for it any longer.
    var deadline: UInt64?
    var done: @Sendable (Failure?) -> Void
  }

  private let address: RedisAddress
  private let node: String
  private let version: String
  /// Seconds of a lease.
  package let lease: Double
  private let retention: Double?
  private let condition = NSCondition()
  private var queue: [Entry] = []
  private var leases: [String: Lease] = [:]
  private var readers: [RedisConnection] = []
  private var failure: String?
  private var isClosed = false
  private var onLost: @Sendable (String) -> Void = { _ in }
  private var onWanted: @Sendable (String) -> Void = { _ in }

  /// Milliseconds that the server may take for an answer.
  private static let patience: Int32 = 700
  /// Records that are read at a time, and commands that are sent at a time.
  private static let page = 64

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - node: the name of this process, of no other.
  ///   - lease: seconds after which a node that is silent has lost its sessions.
  ///   - retention: seconds that a session is kept after its last record; nil: for ever.
  ///   - warn: gets a line for what is not as it should be.
  /// - Throws: `Failure.unreachable`.
  package init(
    _ address: RedisAddress, node: String, version: String, lease: Double, retention: Double?, warn: (String) -> Void
  ) throws {
    (self.address, self.node, self.version) = (address, node, version)
    (self.lease, self.retention) = (lease, retention)
    if let words = Self.missing { throw Failure.unreachable(words) }
    let settings = try read { connection throws(RedisConnection.Unreachable) in
      (try connection.run("CONFIG", "GET", "appendonly"), try connection.run("CONFIG", "GET", "appendfsync"))
    }
    if case .list(let log) = settings.0, case .list(let sync) = settings.1,
      log.last?.string != "yes" || sync.last?.string != "always"
    {
      warn(
        "\(address.name): appendonly \(log.last?.string ?? "unknown"), appendfsync \(sync.last?.string ?? "unknown"), "
          + "expected yes and always: what is acknowledged may be lost with the server")
    }
    try OwnThread.start { [self] in writeLoop() }
    try OwnThread.start { [self] in renewLoop() }
  }

  /// Who hears of sessions that are this node's no longer, and of those that another node waits for.
  package func observe(lost: @escaping @Sendable (String) -> Void, wanted: @escaping @Sendable (String) -> Void) {
    condition.withLock { (onLost, onWanted) = (lost, wanted) }
  }

  /// Why the server cannot be reached now, in words; nil where it can.
  package var trouble: String? { condition.withLock { failure } }

  /// What lacks to use any store, in words; nil where nothing does.
  package static var missing: String? { fuse_redis_missing().map { String(cString: $0) } }

  // MARK: scripts

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
  private func key(_ id: String, _ name: String) -> String { "fuse:{\(id)}:\(name)" }

  private func script(_ text: String, _ id: String, _ arguments: [[UInt8]]) -> [[UInt8]] {
    let keys = ["log", "meta", "owner", "wanted"].map { key(id, $0) }
    return ([text, "4"] + keys).map(Self.bytes) + (["\(node)", milliseconds, keep].map(Self.bytes)) + arguments
  }

  private func evaluate(_ text: String, _ id: String, _ arguments: [[UInt8]] = []) -> [[UInt8]] {
    [Self.bytes("EVAL")] + script(text, id, arguments)
  }

  private var milliseconds: String { "\(Int(lease * 1000))" }
  /// Milliseconds that the keys live after the last record; 0: for ever.
  private var keep: String { "\(retention.map { Int($0 * 1000) } ?? 0)" }

  private static func entry(_ number: Int) -> String { number == 0 ? "0-1" : "\(number)-0" }

  // MARK: calls that do not wait

  private func enqueue(_ entry: Entry) {
    condition.lock()
    let isClosed = isClosed
    if !isClosed { queue.append(entry) }
    condition.broadcast()
    condition.unlock()
    if isClosed { entry.done(.unreachable("the service stops")) }
  }

  /// Writes the creation of a session; nobody owns it.
  package func create(_ id: String, _ payload: [UInt8], arrival: Int64, done: @escaping @Sendable (Failure?) -> Void) {
    let command = evaluate(
      SessionScripts.creation, id,
      ["\(LogRecord.Kind.create.rawValue)", "\(arrival)", version].map(Self.bytes) + [payload])
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(5e9)
    enqueue(Entry(lease: nil, command: command, deadline: deadline, done: done))
  }

  /// Writes a record; `done` is called once, in order, when it is kept or the lease is lost. Called by one thread at a
  /// time.
  package func append(_ lease: Lease, _ record: LogRecord, done: @escaping @Sendable (Failure?) -> Void) {
    let number = lease.next
    lease.next += 1
    let command = evaluate(
      SessionScripts.addition, lease.id,
      [
        "\(lease.fence)", Self.entry(number), Self.entry(number - 1), "\(record.kind.rawValue)", "\(record.arrival)",
      ].map(Self.bytes) + [record.payload])
    enqueue(Entry(lease: lease, command: command, done: done))
  }

  /// Calls back when all that was handed over before is kept, or the lease is lost.
  package func settled(_ lease: Lease, done: @escaping @Sendable (Failure?) -> Void) {
    enqueue(Entry(lease: lease, command: nil, done: done))
  }

  /// Lets a session go, behind what was handed over before.
  package func release(_ lease: Lease) {
    enqueue(
      Entry(lease: lease, command: evaluate(SessionScripts.leaving, lease.id, [Self.bytes("\(lease.fence)")])) {
        [self] _ in
        end(lease)
      })
  }

  /// Removes a session.
  package func delete(_ lease: Lease, done: @escaping @Sendable (Failure?) -> Void) {
    enqueue(
      Entry(lease: lease, command: evaluate(SessionScripts.removal, lease.id, [Self.bytes("\(lease.fence)")])) {
        [self] failure in
        if failure == nil { end(lease) }
        done(failure)
      })
  }

  private func end(_ lease: Lease) {
    lease.finish()
    condition.withLock { if leases[lease.id] === lease { leases[lease.id] = nil } }
  }

  // MARK: calls that wait

  private func read<Value>(
    _ body: (RedisConnection) throws(RedisConnection.Unreachable) -> Value
  ) throws(Failure) -> Value {
    let connection = condition.withLock { readers.popLast() } ?? RedisConnection(address, patience: Self.patience)
    do throws(RedisConnection.Unreachable) {
      let value = try body(connection)
      condition.withLock { readers.append(connection) }
      return value
    } catch { throw .unreachable(error.words) }
  }

  /// Who a session is; nil where there is none.
  package func identity(_ id: String) throws(Failure) -> SessionIdentity? {
    let reply = try read { connection throws(RedisConnection.Unreachable) in
      try connection.run("XRANGE", key(id, "log"), "0-1", "0-1")
    }
    guard let entry = reply.words.first else { return nil }
    let fields = Self.fields(entry)
    guard let found = fields["v"].map({ String(decoding: $0, as: UTF8.self) }), let payload = fields["p"],
      let identity = SessionIdentity(payload: payload)
    else { throw .damaged("its first entry is none that fuse writes") }
    guard found == version else {
      throw .damaged("a log of fuse \(found), expected \(version): its numbers may differ; serve it with that version")
    }
    return identity
  }

  /// Becomes the owner of a session, waiting for the one that has it where `waits`. Blocks.
  package func acquire(_ id: String, waits: Bool = true) throws(Failure) -> Lease {
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64((2 * lease + 1) * 1e9)
    var holder = ""
    while DispatchTime.now().uptimeNanoseconds < deadline {
      let began = DispatchTime.now().uptimeNanoseconds
      let reply = try read { connection throws(RedisConnection.Unreachable) in
        try connection.run([evaluate(SessionScripts.taking, id, [Self.bytes(waits ? "1" : "0")])])[0]
      }
      let words = reply.words
      guard words.count == 3, let state = words[0].number, let number = words[1].number else {
        throw .unreachable("\(address.name): another answer to a lease: \(reply)")
      }
      switch state {
      case -1: throw .unknown
      case 1:
        let last = words[2].string.flatMap { $0 == "0-1" ? 0 : Int($0.prefix { $0 != "-" }) } ?? -1
        guard last >= 0 else { throw .damaged("its last entry is none that fuse writes") }
        let lease = Lease(id: id, fence: number, end: began + term, next: last + 1)
        condition.withLock { leases[id] = lease }
        return lease
      default:
        holder = words[2].string ?? ""
        if !waits { throw .held("node \(holder) owns it") }
        // Soon where it lets go by itself; when the lease ends otherwise.
        usleep(UInt32(min(max(number, 10), 50)) * 1000)
      }
    }
    throw .held("node \(holder) owns it and lives, expected it to let go: does every call of a session reach one node?")
  }

  /// Nanoseconds that a lease holds for its owner: less than for the server, whose clock may be another.
  private var term: UInt64 { UInt64(lease * 0.9e9) }

  /// The records of a session that this node owns, in order. Blocks.
  package func records(_ lease: Lease, session: UInt64, _ body: (LogRecord) throws -> Void) throws {
    var begin = "-"
    var sequence: UInt64 = 0
    var number = 0
    while true {
      let page = try read { connection throws(RedisConnection.Unreachable) in
        try connection.run("XRANGE", key(lease.id, "log"), begin, "+", "COUNT", "\(Self.page)")
      }.words
      for entry in page {
        let fields = Self.fields(entry)
        guard entry.words.first?.string == Self.entry(number),
          let kind = fields["k"].flatMap({ UInt8(String(decoding: $0, as: UTF8.self)) }).flatMap(LogRecord.Kind.init),
          let arrival = fields["a"].flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }), let payload = fields["p"]
        else { throw Failure.damaged("entry \(number) of its log is missing or none that fuse writes") }
        try body(LogRecord(kind: kind, session: session, sequence: sequence, arrival: arrival, payload: payload))
        if kind == .batch { sequence += 1 }
        number += 1
      }
      guard page.count == Self.page, let last = page.last?.words.first?.string else { break }
      begin = "(\(last)"
    }
    guard number == lease.next else {
      throw Failure.damaged("its log has \(number) entries, expected \(lease.next)")
    }
  }

  private static func fields(_ entry: RedisConnection.Reply) -> [String: [UInt8]] {
    guard entry.words.count == 2 else { return [:] }
    let words = entry.words[1].words
    var fields: [String: [UInt8]] = [:]
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      if let name = words[index].string, let value = words[index + 1].bytes { fields[name] = value }
    }
    return fields
  }

  // MARK: threads

  private func writeLoop() {
    let connection = RedisConnection(address, patience: Self.patience)
    while true {
      condition.lock()
      while queue.isEmpty, !isClosed { condition.wait() }
      let due = Array(queue.prefix(Self.page))
      let isLast = isClosed
      condition.unlock()
      if due.isEmpty { return }
      do throws(RedisConnection.Unreachable) {
        // What lost its lease is not even tried.
        let isLost = due.map { $0.lease?.isHeld == false }
        let tried = zip(due, isLost).compactMap { entry, isLost in isLost ? nil : entry.command }
        var replies = (tried.isEmpty ? [] : try connection.run(tried)).makeIterator()
        if !tried.isEmpty { note(nil) }
        take(due.count)
        for (entry, isLost) in zip(due, isLost) {
          entry.done(isLost ? .lost : entry.command == nil ? nil : replies.next().flatMap(Self.failure))
        }
      } catch {
        note(error.words)
        giveUp(isLast: isLast)
        usleep(50_000)
      }
    }
  }

  private static func failure(_ reply: RedisConnection.Reply) -> Failure? {
    guard case .error(let words) = reply else { return nil }
    if words.hasPrefix("FENCED") { return .lost }
    return words.hasPrefix("GAP") ? .damaged("the store lacks records (\(words))") : .unreachable(words)
  }

  private func take(_ count: Int) { condition.withLock { queue.removeFirst(count) } }

  /// The server is away: what nobody waits for any longer, or whose lease ran out, is answered.
  private func giveUp(isLast: Bool) {
    let now = DispatchTime.now().uptimeNanoseconds
    let words = trouble ?? ""
    let over = condition.withLock { () -> [Entry] in
      func isOver(_ entry: Entry) -> Bool {
        isLast || entry.lease?.isHeld == false || (entry.deadline.map { $0 < now } ?? false)
      }
      defer { queue.removeAll(where: isOver) }
      return queue.filter(isOver)
    }
    for entry in over { entry.done(entry.lease == nil ? .unreachable(words) : .lost) }
  }

  private func note(_ words: String?) { condition.withLock { failure = words } }

  private func renewLoop() {
    let connection = RedisConnection(address, patience: Self.patience)
    while true {
      condition.lock()
      let next = Date().addingTimeInterval(lease / 5)
      while !isClosed, condition.wait(until: next) {}
      let (held, isOver) = (leases.values.sorted { $0.id < $1.id }, isClosed)
      let (lost, wanted) = (onLost, onWanted)
      condition.unlock()
      if isOver { return }
      let began = DispatchTime.now().uptimeNanoseconds
      let commands = held.map { evaluate(SessionScripts.renewal, $0.id, [Self.bytes("\($0.fence)")]) }
      // Also without sessions: whether the server is there is part of being ready.
      let replies = Result { () throws(RedisConnection.Unreachable) in
        try connection.run(commands + [[Self.bytes("PING")]])
      }
      switch replies {
      case .failure(let error): note(error.words)
      case .success(let replies):
        note(nil)
        for (one, reply) in zip(held, replies) {
          switch reply.number {
          case 0: one.finish()
          case 1: one.extend(to: began + term)
          case 2:
            one.extend(to: began + term)
            wanted(one.id)
          default: break
          }
        }
      }
      for one in held where !one.isHeld {
        end(one)
        lost(one.id)
      }
    }
  }

  /// Ends the store's threads behind what was handed over.
  package func close() {
    let done = DispatchSemaphore(value: 0)
    enqueue(Entry(lease: nil, command: nil) { _ in done.signal() })
    _ = done.wait(timeout: .now() + 5)
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }
}
