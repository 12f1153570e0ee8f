/// Detects a repeated key at one time, in bounded memory.
///
/// In a file in time order only the keys of the current time are kept. In a file in order of arrival equal timestamps
/// may be apart: then the last 4,096 keys are kept.
package struct SeenKeys<Key: Hashable & Sendable>: Sendable {
  private struct Stamped: Hashable, Sendable {
    var time: Int64
    var key: Key
  }

  private static var window: Int { 4096 }
  private var seen: Set<Stamped> = []
  private var ring: [Stamped] = []
  private var oldest = 0
  private var time = Int64.min

  /// No keys.
  package init() {}

  /// Inserts the key; false if it was there already.
  package mutating func insert(_ key: Key, time: Int64, inTimeOrder: Bool) -> Bool {
    let stamped = Stamped(time: time, key: key)
    if inTimeOrder {
      if time != self.time {
        self.time = time
        seen.removeAll(keepingCapacity: true)
      }
      return seen.insert(stamped).inserted
    }
    guard seen.insert(stamped).inserted else { return false }
    if ring.count < Self.window {
      ring.append(stamped)
    } else {
      seen.remove(ring[oldest])
      ring[oldest] = stamped
      oldest = (oldest + 1) % Self.window
    }
    return true
  }
}
