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
