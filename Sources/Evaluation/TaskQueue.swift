import Foundation

/// Independent tasks, some at a time, each on one thread; results keep the order of the tasks.
package final class TaskQueue<Outcome: Sendable>: @unchecked Sendable {
  /// What has been done; nil for a task that has not ended, or was left out.
  package typealias Results = [Result<Outcome, any Error>?]

  // Mutable state is guarded by `lock`.
  private let lock = NSLock()
  private var next = 0
  private var hasStopped = false
  private var results: Results
  private let task: @Sendable (Int) throws -> Outcome
  private let finished: @Sendable (Results) -> Void

  /// - Parameters:
  ///   - task: does one of the tasks 0 to `count - 1`.
  ///   - finished: called after every task, one call at a time, with the results so far.
  package init(
    _ count: Int, _ task: @escaping @Sendable (Int) throws -> Outcome,
    finished: @escaping @Sendable (Results) -> Void = { _ in }
  ) {
    results = Array(repeating: nil, count: count)
    (self.task, self.finished) = (task, finished)
  }

  /// The outcomes of all tasks.
  ///
  /// - Parameter finished: called after every task, one call at a time, with the number of those that have ended.
  /// - Throws: an error of a task; tasks that have begun by then are finished, the others left out.
  package static func outcomes(
    _ count: Int, jobs: Int, _ task: @escaping @Sendable (Int) throws -> Outcome,
    finished: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws -> [Outcome] {
    let queue = TaskQueue(count, task) { results in finished(results.count { $0 != nil }) }
    return try queue.run(jobs: jobs, stopsAtAnError: true).compactMap { try $0?.get() }
  }

  /// Does them all, `jobs` at a time.
  package func run(jobs: Int, stopsAtAnError: Bool = false) -> Results {
    let group = DispatchGroup()
    for _ in 0..<max(1, min(jobs, results.count)) {
      let thread = Thread { [self] in
        while let index = take() {
          let result = Result { try task(index) }
          lock.withLock {
            results[index] = result
            if stopsAtAnError, case .failure = result { hasStopped = true }
            finished(results)
          }
        }
        group.leave()
      }
      // Simulating, reading and filtering run on this stack; the default of a second thread is small.
      thread.stackSize = 8 << 20
      group.enter()
      thread.start()
    }
    group.wait()
    return lock.withLock { results }
  }

  /// Leaves out the tasks that have not begun.
  package func stop() { lock.withLock { hasStopped = true } }

  private func take() -> Int? {
    lock.withLock {
      guard next < results.count, !hasStopped else { return nil }
      defer { next += 1 }
      return next
    }
  }
}
