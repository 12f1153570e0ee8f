/// The last accepted rows of a table: 512 of them, some seconds of an inertial unit, so that a batch that a logger wrote
/// twice is known again. A row is the same where all of it is; of a frame, which has a row for every feature, where its
/// time is.
struct RecentRows {
  private static let count = 512
  private var times: [Int64] = [], hashes: [UInt64] = []
  private var areShared: [Bool] = []
  private var next = 0, last = 0

  /// Adds a row, not older than those before.
  mutating func append(_ time: Int64, _ hash: UInt64) {
    if times.count < Self.count {
      last = times.count
      times.append(time)
      hashes.append(hash)
      areShared.append(false)
    } else {
      last = next
      (times[next], hashes[next], areShared[next]) = (time, hash, false)
      next = next + 1 == Self.count ? 0 : next + 1
    }
  }

  /// Adds a row of the same time as the last one.
  mutating func share() { if !areShared.isEmpty { areShared[last] = true } }

  /// Whether a row is one of them.
  func contains(_ time: Int64, _ hash: UInt64) -> Bool {
    times.indices.contains { times[$0] == time && (hashes[$0] == hash || areShared[$0]) }
  }

  /// Median interval of the rows, nanoseconds; nil with fewer than three.
  var spacing: Int64? {
    let sorted = times.sorted()
    let intervals = zip(sorted, sorted.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
    return intervals.count < 2 ? nil : intervals[intervals.count / 2]
  }
}

/// A counter that ran over: times that go back by a whole power of two of a usual tick.
struct CounterWrap: Equatable {
  /// What is to be added from there on, nanoseconds; nil where no usual counter is so long.
  private let period: Int64?
  /// Of that, bits and tick.
  private let counter: String?

  /// Ticks in nanoseconds; the last two are those of DW1000 and DW3000 radios, 1 / (128 x 499.2 MHz).
  private static let ticks: [(nanoseconds: Double, name: String)] = [
    (1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9 / 63.8976e9, "ticks of 15.65 ps"),
  ]

  /// Nil for a step back that is no more than rows out of order.
  init?(from before: Int64, to after: Int64, spacing: Int64?) {
    guard let spacing, before != .min else { return nil }
    let back = Double(before) - Double(after)
    guard back > 1e9, back > 100 * Double(spacing) else { return nil }
    let step = back + Double(spacing)
    var found: (period: Double, counter: String, miss: Double)?
    for tick in Self.ticks {
      for bits in [16, 24, 31, 32, 40, 48] {
        let period = Double(Int64(1) << bits) * tick.nanoseconds
        let miss = abs(step - period)
        guard period > 1e9, miss < max(3 * Double(spacing), 1e-6 * period), miss < found?.miss ?? .infinity else {
          continue
        }
        found = (period, "\(bits) bits of \(tick.name)", miss)
      }
    }
    (period, counter) = (found.map { Int64($0.period.rounded()) }, found?.counter)
  }

  /// What is expected instead, for an error.
  var remedy: String {
    guard let period, let counter else {
      return "rows in order of time: a clock was set back here, or a counter wraps; make the times go on"
    }
    return "rows in order of time: a counter of \(counter) wraps here; add \(period) ns to this row and all after it"
  }
}

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
