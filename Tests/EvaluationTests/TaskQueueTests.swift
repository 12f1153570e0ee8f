import Evaluation
import Synchronization
import Testing

/// Tasks, some at a time.
@Suite struct TaskQueueTests {
  private struct Failed: Error {}

  private static func fails(_ index: Int) throws -> Int {
    if index == 2 { throw Failed() }
    return index
  }

  @Test(arguments: [1, 3, 20]) func outcomesKeepTheOrder(jobs: Int) throws {
    #expect(try TaskQueue.outcomes(10, jobs: jobs) { $0 * $0 } == (0..<10).map { $0 * $0 })
    #expect(try TaskQueue<Int>.outcomes(0, jobs: jobs) { $0 }.isEmpty)
  }

  @Test func anErrorIsThrownOrKept() {
    #expect(throws: Failed.self) { try TaskQueue.outcomes(5, jobs: 2, Self.fails) }
    #expect(TaskQueue(5, Self.fails).run(jobs: 2).map { try? $0?.get() } == [0, 1, nil, 3, 4])
    let cut = TaskQueue(5, Self.fails).run(jobs: 1, stopsAtAnError: true)
    #expect(cut.map { $0 == nil } == [false, false, false, true, true])
  }

  /// Stopped by its second task: the others are left out, and what has ended was said each time.
  @Test func stoppingLeavesOutTheRest() {
    let queue = Mutex<TaskQueue<Int>?>(nil)
    let counts = Mutex<[Int]>([])
    let made = TaskQueue(6) { index in
      if index == 1 { queue.withLock { $0?.stop() } }
      return index
    } finished: { results in
      counts.withLock { $0.append(results.count { $0 != nil }) }
    }
    queue.withLock { $0 = made }
    #expect(made.run(jobs: 1).map { try? $0?.get() } == [0, 1, nil, nil, nil, nil])
    #expect(counts.withLock { $0 } == [1, 2])
  }
}
