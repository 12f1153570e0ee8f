import PrecisionFinding
import SensorData
import Testing

/// Actions in the order of their times, and when they are due.
@Suite struct ActionQueueTests {
  static func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 1000).advanced(bySeconds: seconds) }
  static func range(_ seconds: Double) -> FinderAction {
    .range(RangeMeasurement(timestamp: time(seconds), peer: "tag", range: 3))
  }

  /// What a queue performs, as seconds of ticks (negative) and of other actions.
  static func performed(
    _ queue: inout ActionQueue, hasEnded: Bool = false, covered: Double = .infinity
  ) -> [(isTick: Bool, seconds: Double)] {
    var found: [(Bool, Double)] = []
    queue.drain(hasEnded: hasEnded, covers: { $0.seconds(since: time(0)) <= covered }) { action in
      let isTick = if case .tick = action { true } else { false }
      found.append((isTick, action.time.seconds(since: Timestamp(nanoseconds: 0))))
    }
    return found
  }

  /// The first range begins the ticks, at multiples of the interval; none comes twice, none is left out.
  @Test func ticksAreAtMultiples() {
    var queue = ActionQueue(updateInterval: 0.1, frameLag: 0)
    for seconds in [0.05, 0.32, 0.38, 0.61] {
      queue.advance(to: Self.time(seconds))
      queue.insert(Self.range(seconds))
    }
    let ticks = Self.performed(&queue).filter(\.isTick).map { ($0.seconds * 10).rounded() }
    #expect(ticks == [1, 2, 3, 4, 5, 6])
    #expect(Self.performed(&queue).isEmpty)
  }

  /// A frame whose camera clock is behind comes before ranges that are in the queue already.
  @Test func actionsAreInTimeOrder() {
    var queue = ActionQueue(updateInterval: 10, frameLag: 0)
    queue.advance(to: Self.time(1))
    queue.insert(Self.range(1))
    queue.insert(.pose(Self.time(0.97)))
    queue.insert(.pose(Self.time(1)))
    let found = Self.performed(&queue).map(\.seconds)
    #expect(found == found.sorted() && found.count == 3)
  }

  /// Without motion an action waits for half a second, and for late frames; the end of the recording waits for nothing.
  @Test(arguments: [0.0, 0.2]) func motionIsWaitedFor(frameLag: Double) {
    var queue = ActionQueue(updateInterval: 10, frameLag: frameLag)
    queue.advance(to: Self.time(1))
    queue.insert(Self.range(1))
    #expect(Self.performed(&queue, covered: 0.9).isEmpty)
    queue.advance(to: Self.time(1.45 + frameLag))
    #expect(Self.performed(&queue, covered: 0.9).isEmpty)
    var ended = queue
    #expect(Self.performed(&ended, hasEnded: true, covered: 0.9).count == 1)
    queue.advance(to: Self.time(1.55 + frameLag))
    #expect(Self.performed(&queue, covered: 0.9).count == 1)
  }
}
