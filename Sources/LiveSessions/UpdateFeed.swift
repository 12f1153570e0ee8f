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
