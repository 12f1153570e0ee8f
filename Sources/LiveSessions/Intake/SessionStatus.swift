import Datasets
import EventLines
import Foundation
import RunResults

extension LiveSession {
  /// What a session is doing.
  package enum State: String, Sendable {
    case recovering, active, finished, failed
  }

  /// Numbers for people and monitors.
  package struct Status: Sendable {
    /// What it is doing.
    package var state: State
    /// The next batch's number.
    package var next: UInt64 = 0
    /// Measurements that entered, by stream.
    package var events: [LineStream: Int] = [:]
    /// Measurements left out, by stream and kind.
    package var damage: [LineStream: [DamageKind: Int]] = [:]
    /// Measurements a second over the last seconds.
    package var eventRate = 0.0
    /// Updates a second over the last seconds.
    package var updateRate = 0.0
    /// Batches that wait.
    package var waiting = 0
    /// Bytes of the batches so far.
    package var bytes = 0
    /// Age of the newest measurement when its updates were published, seconds, smoothed; nil before there is one.
    package var lag: Double?
    /// Whether a line `end` was read.
    package var hasEnded = false
    /// When the last call that sends came, seconds of a monotonic clock.
    package var lastCall: Double
    /// When the last call of any kind came, seconds of a monotonic clock.
    package var lastTouch: Double
    /// When the session was created, nanoseconds since 1970.
    package var created: Int64
    /// Warnings so far, at most a hundred.
    package var warnings: [String] = []
    /// What of the measurements is not used, a line for each stream.
    package var skips: [String] = []
    /// Changes where readers are to be told of `skips`: with the first, tenth, hundredth ... of a reason.
    package var skipTurn = 0
    /// Whether its set-up holds; nil before the first batch, and of one that was finished before the service started.
    package var verdict: RunVerdict?
    /// What failed.
    package var failure: String?
    private var window = (began: 0.0, events: 0, updates: 0)

    init(state: State, now: Double, created: Int64) {
      self.state = state
      lastCall = now
      lastTouch = now
      self.created = created
    }

    /// Counts what came at a time in seconds, for the rates.
    mutating func count(_ events: Int, updates: Int, at now: Double) {
      let seconds = now - window.began
      if seconds > 2 {
        if window.began > 0 {
          (eventRate, updateRate) = (Double(window.events) / seconds, Double(window.updates) / seconds)
        }
        window = (now, 0, 0)
      }
      window.events += events
      window.updates += updates
    }
  }
}

/// Counts of durations in steps, in seconds.
package final class LatencyHistogram: @unchecked Sendable {
  /// The upper bounds of the steps, seconds.
  package static let bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

  private let lock = NSLock()
  private var counts = [Int](repeating: 0, count: bounds.count + 1)
  private var sum = 0.0

  /// A histogram of nothing.
  package init() {}

  /// Adds a duration in seconds, so many times.
  package func add(_ seconds: Double, times: Int = 1) {
    guard times > 0 else { return }
    lock.withLock {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += times
      sum += seconds * Double(times)
    }
  }

  /// The counts of the steps, the last of what is longer than all bounds, and the sum in seconds.
  package var values: (counts: [Int], sum: Double) { lock.withLock { (counts, sum) } }
}
