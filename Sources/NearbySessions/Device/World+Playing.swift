/// Playing a world from a task, without blocking a thread: the main queue and every other run freely between events.
///
/// Callbacks are the same as those of the blocking calls, in the same order. After each event with callbacks what they put
/// on the main queue is run. Nobody may block the main queue meanwhile.
extension World {
  /// Plays the next event; false when all recordings have ended. Pending callbacks are made in any case.
  ///
  /// - Throws: a source's error; the world can continue without that event. `PlayingError`, `CancellationError`.
  @discardableResult
  public func step() async throws -> Bool { try await takeStep(until: .infinity) }

  /// Plays all events up to `seconds` of the world.
  ///
  /// - Throws: a source's error, `PlayingError`, `CancellationError`.
  public func play(until seconds: Double) async throws {
    while try await takeStep(until: seconds) {}
    try await make(takeTime(seconds))
  }

  /// Plays to the end, as fast as possible.
  ///
  /// - Parameter pace: called with the world's time before each event; waiting until then plays in real time.
  /// - Throws: a source's error, `PlayingError`, `CancellationError`.
  public func play(pace: (@Sendable (Double) async -> Void)? = nil) async throws {
    while try await takeStep(until: .infinity, pace: pace) {}
    try await makeCallbacks(of: devices)
  }

  private func takeStep(until seconds: Double, pace: (@Sendable (Double) async -> Void)? = nil) async throws -> Bool {
    try Task.checkCancellation()
    try await makeCallbacks(of: devices)
    try await make(endings())
    guard let due, due <= seconds else { return false }
    await pace?(due)
    try await make(takeNext())
    return true
  }

  private func make(_ inputs: [Input]) async throws {
    for input in inputs {
      input.device.take(input.what)
      try await makeCallbacks(of: [input.device])
    }
  }

  private func makeCallbacks(of devices: [NearbyDevice]) async throws {
    for device in devices {
      if await device.makeCallbacks() > 0 { await MainQueue.flush() }
      if let error = device.takeEndlessRestart() { throw error }
    }
  }
}
