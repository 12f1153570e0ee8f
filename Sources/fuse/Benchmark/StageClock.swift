import Estimator
import Foundation

/// Processor time of every stage of a run: one value per execution.
///
/// A stage's time excludes that of nested stages, except for whole ones (`Stage.isWhole`). Time in which the thread
/// waits or another process has the core is excluded, too.
package final class StageClock: StageMeter {
  private struct Open {
    var stage: String
    var began: Int
    var inner = 0
  }
  private var open: [Open] = []
  private let now: () -> Int
  /// Nanoseconds by stage, in the order of ending.
  package private(set) var samples: [String: [Int]] = [:]

  /// - Parameter now: the time in nanoseconds; only differences count.
  package init(now: @escaping () -> Int = StageClock.threadTime) { self.now = now }

  /// Processor time of the calling thread, nanoseconds.
  package static func threadTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  package func begin(_ stage: Stage) { begin(stage.rawValue) }
  package func end(_ stage: Stage) { end(stage.rawValue, isWhole: stage.isWhole) }

  /// Runs `work` as a stage outside the library.
  package func measure<Result>(_ stage: String, _ work: () throws -> Result) rethrows -> Result {
    begin(stage)
    defer { end(stage, isWhole: false) }
    return try work()
  }

  // The clock is read last at the begin and first at the end, so the bookkeeping counts for the enclosing stage.
  private func begin(_ stage: String) {
    open.append(Open(stage: stage, began: 0))
    open[open.count - 1].began = now()
  }

  private func end(_ stage: String, isWhole: Bool) {
    let time = now()
    guard let ended = open.popLast(), ended.stage == stage else { preconditionFailure("stages nest") }
    let whole = time - ended.began
    if !open.isEmpty { open[open.count - 1].inner += whole }
    samples[stage, default: []].append(isWhole ? whole : whole - ended.inner)
  }
}
