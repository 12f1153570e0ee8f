/// Playing a world on the caller's thread.
extension World {
  /// The main queue's work is run at least this often while nobody is called, seconds of the world.
  private static let mainQueueInterval = 0.02

  /// Plays the next event; false when all recordings have ended. Pending callbacks are made in any case.
  ///
  /// - Throws: a source's error; the world can continue without that event. `PlayingError`.
  @discardableResult
  public func stepBlocking() throws -> Bool { try MainQueue.whilePlaying { try takeStep(until: .infinity) } }

  /// Plays all events up to `seconds` of the world.
  ///
  /// - Throws: a source's error, `PlayingError`.
  public func playBlocking(until seconds: Double) throws {
    try MainQueue.whilePlaying {
      while try takeStep(until: seconds) {}
      try make(takeTime(seconds))
    }
    flushMainQueue()
  }

  /// Plays to the end, as fast as possible.
  ///
  /// - Parameter pace: called with the world's time before each event; waiting until then plays in real time.
  /// - Throws: a source's error, `PlayingError`.
  public func playBlocking(pace: ((Double) -> Void)? = nil) throws {
    try MainQueue.whilePlaying {
      while try takeStep(until: .infinity, pace: pace) {}
      try makeCallbacks(of: devices)
    }
    flushMainQueue()
  }

  /// Plays the next event if it comes by `seconds`; whether it did.
  private func takeStep(until seconds: Double, pace: ((Double) -> Void)? = nil) throws -> Bool {
    try makeCallbacks(of: devices)
    try make(endings())
    guard let due, due <= seconds else { return false }
    if let pace {
      pace(due)
      serveMainQueue()
    }
    try make(takeNext())
    return true
  }

  private func make(_ inputs: [Input]) throws {
    for input in inputs {
      input.device.take(input.what)
      try makeCallbacks(of: [input.device])
    }
  }

  private func makeCallbacks(of devices: [NearbyDevice]) throws {
    for device in devices {
      let made = device.makeCallbacks()
      if made > 0 || time - mainQueueServedAt >= Self.mainQueueInterval { serveMainQueue() }
      if let error = device.takeEndlessRestart() { throw error }
    }
  }

  private func serveMainQueue() {
    guard MainQueue.isServedHere else { return }
    mainQueueServedAt = time
    MainQueue.serve()
  }

  /// After the last callback: what it put on the main queue runs before `play` returns.
  private func flushMainQueue() {
    guard !CallbackQueue.isCurrent(.main), devices.contains(where: \.hasCalledOnMainQueue) else { return }
    CallbackQueue.run(on: .main) {}
  }
}
