import Foundation

/// The order in which updates of all sessions were published, of the last while: what a reader of several sessions
/// follows and resumes from. In bounded memory.
package final class UpdateFeed: @unchecked Sendable {
  private let lock = NSLock()
  private var order = PublicationOrder()
  private var readers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var nextReader = 0

  /// Some updates of a session are there.
  func add(session: UInt64, _ updates: Range<Int>) {
    guard !updates.isEmpty else { return }
    let waiting = lock.withLock {
      order.add(.init(session: session, updates: updates))
      return Array(readers.values)
    }
    for reader in waiting { reader.yield() }
  }

  /// Behind the newest.
  package var end: Int { lock.withLock { order.end } }

  /// What was published from a number on, at most so many, and how much of it is forgotten.
  package func entries(from number: Int, limit: Int) -> (missed: Int, entries: [PublicationOrder.Entry]) {
    lock.withLock { order.entries(from: number, limit: limit) }
  }

  /// The number of what holds an update; nil where that is forgotten.
  package func number(of session: UInt64, _ index: Int) -> Int? { lock.withLock { order.number(of: session, index) } }

  /// A signal for every change, newest only, and what ends it.
  package func changes() -> (signals: AsyncStream<Void>, number: Int) {
    let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = lock.withLock {
      nextReader += 1
      readers[nextReader] = continuation
      return nextReader
    }
    return (signals, number)
  }

  /// Ends a reader's signals.
  package func leave(_ number: Int) { lock.withLock { readers.removeValue(forKey: number) }?.finish() }

  /// Wakes all readers.
  package func wake() { for reader in lock.withLock({ Array(readers.values) }) { reader.yield() } }
}

/// What was published, in order, numbered from 0; the last so many are remembered. Pure.
package struct PublicationOrder: Equatable, Sendable {
  /// Updates of one session that were published together.
  package struct Entry: Equatable, Sendable {
    /// The session's number.
    package var session: UInt64
    /// Indices of its updates.
    package var updates: Range<Int>

    /// An entry from its parts.
    package init(session: UInt64, updates: Range<Int>) { (self.session, self.updates) = (session, updates) }
  }

  private let limit: Int
  private var ring: [Entry] = []
  /// The number of the next one.
  package private(set) var end = 0

  /// An order that remembers so many.
  package init(limit: Int = 1 << 16) { self.limit = limit }

  /// Adds the newest.
  package mutating func add(_ entry: Entry) {
    if ring.count < limit { ring.append(entry) } else { ring[end % limit] = entry }
    end += 1
  }

  private var first: Int { end - ring.count }

  /// What comes from a number on, at most so many, and how many before it are forgotten.
  package func entries(from number: Int, limit most: Int) -> (missed: Int, entries: [Entry]) {
    let begin = max(min(number, end), first)
    return (begin - min(number, begin), (begin..<min(end, begin + most)).map { ring[$0 % limit] })
  }

  /// The number of the entry that holds an update; nil where it is forgotten. Searches from the newest.
  package func number(of session: UInt64, _ index: Int) -> Int? {
    (first..<end).last { number in
      let entry = ring[number % limit]
      return entry.session == session && entry.updates.contains(index)
    }
  }
}

/// Where a reader of updates is: a pure state machine over the indices of stored updates.
package struct UpdateCursor: Equatable, Sendable {
  /// The next update to send.
  package private(set) var next: Int
  /// Updates that the reader did not get since it was last told.
  package private(set) var missed = 0

  /// A reader that has what is before `next`.
  package init(next: Int = 0) { self.next = next }

  /// A reader that resumes behind an event id; nil for an id that is no index.
  package init?(lastEventID: String) {
    guard let last = Int(lastEventID), last >= 0, last < Int.max else { return nil }
    next = last + 1
  }

  /// The next updates to send, at most `limit`, of `count` stored.
  package mutating func chunk(of count: Int, limit: Int) -> Range<Int> {
    guard next < count else { return next..<next }
    let begin = next
    next = begin + min(count - begin, max(1, limit))
    return begin..<next
  }

  /// Keeps the newest of each peer of the updates not yet sent; the others count as missed.
  ///
  /// - Parameter peers: the peers of updates `next..<next + peers.count`.
  /// - Returns: the indices to send, ascending.
  package mutating func newest<Peer: Hashable>(_ peers: [Peer?]) -> [Int] {
    var last: [Peer?: Int] = [:]
    for (offset, peer) in peers.enumerated() { last[peer] = next + offset }
    next += peers.count
    missed += peers.count - last.count
    return last.values.sorted()
  }

  /// Jumps to an update further on, without counting: a reader with a rate begins with the present.
  package mutating func skip(to index: Int) { next = max(next, index) }

  /// Returns the count of missed updates and forgets it.
  package mutating func takeMissed() -> Int {
    defer { missed = 0 }
    return missed
  }
}
