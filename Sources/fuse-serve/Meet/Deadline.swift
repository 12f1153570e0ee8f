/// A point in wall-clock time by which something must have happened.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  /// This many seconds from now.
  init(seconds: Double) { end = .now + .seconds(seconds) }

  /// Whether it has passed.
  var isOver: Bool { .now >= end }

  /// The first matching element, if it comes in time.
  func first<T: Sendable>(of stream: AsyncStream<T>, where fits: @escaping @Sendable (T) -> Bool) async -> T? {
    await withTaskGroup(of: T?.self) { group in
      group.addTask {
        for await element in stream where fits(element) { return element }
        return nil
      }
      group.addTask { [end] in
        try? await Task.sleep(until: end, clock: .continuous)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
