import SensorData

/// Refused `run`s in a row. An app that runs a session whenever one is invalidated would otherwise do so for ever.
struct Refusals {
  /// Refusals farther apart than this are not in a row, seconds.
  static let gap = 10.0
  /// How many there were.
  private(set) var count = 0
  private var last: Timestamp?
  /// The code of the first.
  private(set) var first: NIError.Code?
  /// Whether there were too many; until the world has thrown it.
  private(set) var isEndless = false

  /// Counts a refusal.
  mutating func add(_ code: NIError.Code, at time: Timestamp?, limit: Int) -> Int {
    if let last, let time, time.seconds(since: last) > Self.gap { count = 0 }
    if count == 0 { first = code }
    last = time
    count += 1
    if count >= limit { isEndless = true }
    return count
  }

  /// A session started.
  mutating func clear() { count = 0 }
}
