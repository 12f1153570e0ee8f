import Foundation

/// Independent tasks, some at a time, each on a thread that waits for its children.
final class Tasks<Result: Sendable>: @unchecked Sendable {
  // Mutable state is guarded by `lock`.
  private let lock = NSLock()
  private var next = 0
  private var results: [Result?]
  private var failure: (any Error)?
  private let task: @Sendable (Int) throws -> Result

  private init(_ count: Int, _ task: @escaping @Sendable (Int) throws -> Result) {
    results = Array(repeating: nil, count: count)
    self.task = task
  }

  /// The results of the tasks 0 to `count - 1`, in this order.
  ///
  /// - Throws: the first error; tasks that have begun are finished, the others left out.
  static func results(_ count: Int, jobs: Int, _ task: @escaping @Sendable (Int) throws -> Result) throws -> [Result] {
    let tasks = Tasks(count, task)
    let group = DispatchGroup()
    for _ in 0..<max(1, min(jobs, count)) {
      let thread = Thread {
        while let index = tasks.take() { tasks.work(index) }
        group.leave()
      }
      // Simulating runs on this stack; the default of a second thread is small.
      thread.stackSize = 8 << 20
      group.enter()
      thread.start()
    }
    group.wait()
    if let failure = tasks.failure { throw failure }
    return tasks.results.map { $0! }
  }

  private func take() -> Int? {
    lock.withLock {
      guard next < results.count, failure == nil else { return nil }
      next += 1
      return next - 1
    }
  }

  private func work(_ index: Int) {
    do {
      let result = try task(index)
      lock.withLock { results[index] = result }
    } catch { lock.withLock { failure = failure ?? error } }
  }
}
