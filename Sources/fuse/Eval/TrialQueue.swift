import Dispatch
import Foundation

/// Runs trials concurrently, each on one thread; results keep the order of the trials.
///
/// Ctrl-C ends it early: running trials are finished, the others are left out. A second Ctrl-C kills as usual.
final class TrialQueue: @unchecked Sendable {
  // Mutable state is guarded by `lock`.
  private let lock = NSLock()
  private let trials: [Trial]
  private var next = 0
  private var interrupted = false
  private var results: [Result<TrialResult, any Error>?]
  private var progress: TrialProgress
  private let finished: @Sendable ([Result<TrialResult, any Error>?]) -> Void

  /// - Parameter finished: called after every trial, one call at a time, with the results so far.
  init(
    _ trials: [Trial], progress: TrialProgress,
    finished: @escaping @Sendable ([Result<TrialResult, any Error>?]) -> Void
  ) {
    self.trials = trials
    self.progress = progress
    self.finished = finished
    results = Array(repeating: nil, count: trials.count)
  }

  /// Runs them all, `jobs` at a time; nil for a trial that an interrupt left out.
  func run(jobs: Int) -> [Result<TrialResult, any Error>?] {
    EndingSignals.onInterruption { [self] in lock.withLock { interrupted = true } }
    let group = DispatchGroup()
    for _ in 0..<max(1, min(jobs, trials.count)) {
      let thread = Thread { [self] in
        while let index = nextIndex() { finish(index, Result { try trials[index].result() }) }
        group.leave()
      }
      // Reading and filtering run on this stack; the default of a second thread is small.
      thread.stackSize = 8 << 20
      group.enter()
      thread.start()
    }
    group.wait()
    EndingSignals.onInterruption(nil)
    progress.erase()
    return lock.withLock { results }
  }

  private func nextIndex() -> Int? {
    lock.withLock {
      guard next < trials.count, !interrupted else { return nil }
      next += 1
      return next - 1
    }
  }

  private func finish(_ index: Int, _ result: Result<TrialResult, any Error>) {
    lock.withLock {
      results[index] = result
      progress.show(done: results.count { $0 != nil })
      finished(results)
    }
  }
}
