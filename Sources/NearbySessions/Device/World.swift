import SensorData

/// Several devices on one clock, whose sessions can find each other.
///
/// Events of all devices are played in order of their time since each recording's beginning; at equal times in the
/// order in which the devices were added. One thread or task at a time plays a world.
///
/// What apps put on the main queue runs between events: on the main thread `play` runs it itself, other threads and
/// `await play()` leave it to the thread that has it. Where the caller blocks the main queue, `play` throws.
public final class World: @unchecked Sendable {
  private struct Player {
    let device: NearbyDevice
    var source: any SensorEventSource
    let start: Double
    var origin: Timestamp?
    var head: TimedEvent?
    var hasEnded = false

    /// Seconds of the world at which the next event arrives; nil at the end.
    var due: Double? {
      guard let head, let origin else { return nil }
      return start + head.arrival.seconds(since: origin)
    }
  }

  private struct SharedRanges {
    let from: NearbyDevice
    let peer: String
    let to: NearbyDevice
    let name: String
  }

  private var players: [Player] = []
  private var shared: [SharedRanges] = []
  /// Seconds since the world's start.
  public private(set) var time = 0.0
  /// The world's time at which the main queue's work was last run.
  private var mainQueueServedAt = 0.0

  /// An empty world.
  public init() {}

  /// Adds a device whose events begin `start` seconds after the world's start.
  public func add(_ device: NearbyDevice, playing source: any SensorEventSource = EventList([]), at start: Double = 0) {
    players.append(Player(device: device, source: source, start: start))
  }

  /// Pairs two devices, so that their sessions can find each other.
  ///
  /// - Parameters:
  ///   - first: one device of this world.
  ///   - nameOfFirst: name of the first device in the second one's ranges.
  ///   - second: the other device of this world.
  ///   - nameOfSecond: name of the second device in the first one's ranges.
  ///   - sharesRanges: the second device receives the first one's ranges, too: for a second device without a recording.
  ///     Both ends of a two-way ranging know its result.
  public func pair(
    _ first: NearbyDevice, named nameOfFirst: String, with second: NearbyDevice, named nameOfSecond: String,
    sharesRanges: Bool = false
  ) {
    SessionLock.withLock {
      first.neighbours.append(Neighbour(device: second, peer: nameOfSecond))
      second.neighbours.append(Neighbour(device: first, peer: nameOfFirst))
    }
    if sharesRanges { shared.append(SharedRanges(from: first, peer: nameOfSecond, to: second, name: nameOfFirst)) }
  }

  private func index(of device: NearbyDevice) -> Int? { players.firstIndex { $0.device === device } }

  /// An input of a device, in the order in which a step makes them.
  typealias Input = (device: NearbyDevice, what: NearbyDevice.Input)

  /// The inputs of devices whose recordings have just ended; reads the next event of every other.
  ///
  /// - Throws: a source's error; the world can continue without that event.
  private func endings() throws -> [Input] {
    var endings: [Input] = []
    for index in players.indices where players[index].head == nil && !players[index].hasEnded {
      players[index].head = try players[index].source.next()
      if players[index].origin == nil { players[index].origin = players[index].head?.arrival }
      if players[index].head == nil {
        players[index].hasEnded = true
        endings.append((players[index].device, .end))
      }
    }
    return endings
  }

  /// Seconds of the world at which the next event arrives; nil when all recordings have ended. After `endings`.
  var due: Double? { nextPlayer.map { players[$0].due! } }

  /// The player whose next event comes first.
  private var nextPlayer: Int? {
    players.indices.filter { players[$0].due != nil }.min { players[$0].due! < players[$1].due! }
  }

  /// Takes the next event, and says what it means for every device.
  private func takeNext() -> [Input] {
    guard let index = nextPlayer, let event = players[index].head, let due = players[index].due else { return [] }
    players[index].head = nil
    time = max(time, due)
    let others = players.indices.filter { $0 != index }
    return [(players[index].device, .event(event))] + shared(event, from: index) + others.compactMap(advance)
  }

  /// Every device at the world's time, which becomes at least `seconds`.
  private func takeTime(_ seconds: Double) -> [Input] {
    time = max(time, seconds)
    return players.indices.compactMap(advance)
  }

  /// The devices, in the order in which they were added.
  var devices: [NearbyDevice] { players.map(\.device) }

  /// A device's clock at the world's time; a device without events counts from zero.
  private func clock(of player: Player) -> Timestamp {
    (player.origin ?? Timestamp(nanoseconds: 0)).advanced(bySeconds: max(0, time - player.start))
  }

  private func advance(_ index: Int) -> Input? {
    guard time >= players[index].start else { return nil }
    return (players[index].device, .time(clock(of: players[index])))
  }

  private func shared(_ event: TimedEvent, from index: Int) -> [Input] {
    guard case .range(let range) = event.event else { return [] }
    var inputs: [Input] = []
    for link in shared where link.from === players[index].device && link.peer == range.peer {
      guard let to = self.index(of: link.to) else { continue }
      // Angles of arrival at the first device are not those at the second one.
      let received = RangeMeasurement(
        timestamp: clock(of: players[to]), peer: link.name, range: range.range,
        standardDeviation: range.standardDeviation, rssi: range.rssi, nonLineOfSight: range.nonLineOfSight,
        technology: range.technology)
      inputs.append((link.to, .event(TimedEvent(.range(received)))))
    }
    return inputs
  }
}

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

/// Source of a device's events: a recording, a simulation, a live sensor.
public protocol SensorEventSource {
  /// The next event in order of arrival; nil at the end.
  mutating func next() throws -> TimedEvent?
}

/// A source of events in memory.
public struct EventList: SensorEventSource, Sendable {
  private let events: [TimedEvent]
  private var position = 0

  /// A source of these events, which are in order of arrival.
  public init(_ events: [TimedEvent]) { self.events = events }

  /// The next event; nil at the end.
  public mutating func next() -> TimedEvent? {
    guard position < events.count else { return nil }
    defer { position += 1 }
    return events[position]
  }
}
