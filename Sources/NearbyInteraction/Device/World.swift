import SensorData

/// Several devices on one clock, whose sessions can find each other.
///
/// Events of all devices are played in order of their time since each recording's beginning; at equal times in the
/// order in which the devices were added. One thread at a time plays a world.
public final class World {
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

  /// Plays the next event; false when all recordings have ended. Pending callbacks are made in any case.
  ///
  /// - Throws: a source's error; the world can continue without that event.
  @discardableResult
  public func step() throws -> Bool {
    for player in players { player.device.settle() }
    guard let index = try next() else { return false }
    let due = players[index].due!
    let event = players[index].head!
    players[index].head = nil
    time = max(time, due)
    players[index].device.receive(event)
    share(event, from: index)
    for other in players.indices where other != index { advance(other) }
    return true
  }

  /// Plays all events up to `seconds` of the world.
  public func play(until seconds: Double) throws {
    while let index = try next(), players[index].due! <= seconds { try step() }
    time = max(time, seconds)
    for index in players.indices { advance(index) }
  }

  /// Plays to the end, as fast as possible.
  ///
  /// - Parameter pace: called with the world's time before each event; waiting until then plays in real time.
  public func play(pace: ((Double) -> Void)? = nil) throws {
    while let index = try next() {
      pace?(players[index].due!)
      try step()
    }
    for player in players { player.device.settle() }
  }

  /// The player whose next event comes first.
  private func next() throws -> Int? {
    for index in players.indices where players[index].head == nil && !players[index].hasEnded {
      players[index].head = try players[index].source.next()
      if players[index].origin == nil { players[index].origin = players[index].head?.arrival }
      if players[index].head == nil {
        players[index].hasEnded = true
        players[index].device.finish()
      }
    }
    return players.indices.filter { players[$0].due != nil }.min { players[$0].due! < players[$1].due! }
  }

  /// A device's clock at the world's time; a device without events counts from zero.
  private func clock(of player: Player) -> Timestamp {
    (player.origin ?? Timestamp(nanoseconds: 0)).advanced(bySeconds: max(0, time - player.start))
  }

  private func advance(_ index: Int) {
    guard time >= players[index].start else { return }
    players[index].device.advance(to: clock(of: players[index]))
  }

  private func share(_ event: TimedEvent, from index: Int) {
    guard case .range(let range) = event.event else { return }
    for link in shared where link.from === players[index].device && link.peer == range.peer {
      guard let to = self.index(of: link.to) else { continue }
      // Angles of arrival at the first device are not those at the second one.
      let received = RangeMeasurement(
        timestamp: clock(of: players[to]), peer: link.name, range: range.range,
        standardDeviation: range.standardDeviation, rssi: range.rssi, nonLineOfSight: range.nonLineOfSight,
        technology: range.technology)
      link.to.receive(TimedEvent(.range(received)))
    }
  }
}
