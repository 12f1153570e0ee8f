import SensorData

/// Several devices in one place and on one clock: what one does, the others notice.
///
/// Events of all devices are played in order of their time since each recording's beginning; at one time, in the order in
/// which the devices were added. One thread at a time plays a world.
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
  /// Seconds since the world began.
  public private(set) var time = 0.0

  /// An empty world.
  public init() {}

  /// Adds a device whose events begin `start` seconds after the world does.
  public func add(_ device: NearbyDevice, playing source: any SensorEventSource = EventList([]), at start: Double = 0) {
    players.append(Player(device: device, source: source, start: start))
  }

  /// Lets two devices' sessions find each other.
  ///
  /// - Parameters:
  ///   - first: one device of this world.
  ///   - nameOfFirst: what the first device is called in the second one's ranges.
  ///   - second: the other device of this world.
  ///   - nameOfSecond: what the second device is called in the first one's ranges.
  ///   - sharesRanges: the first device's ranges reach the second one, too: for a second device without a recording. Both
  ///     ends of a two-way ranging know its result.
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

  /// Plays the next event; false when all recordings have ended. Callbacks that wait are made in any case.
  ///
  /// - Throws: what a source throws; the world can go on without that event.
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
    for other in players.indices where other != index { letPass(other) }
    return true
  }

  /// Plays all events up to `seconds` of the world.
  public func play(until seconds: Double) throws {
    while let index = try next(), players[index].due! <= seconds { try step() }
    time = max(time, seconds)
    for index in players.indices { letPass(index) }
  }

  /// Plays to the end, as fast as can be.
  ///
  /// - Parameter pace: called with the world's time before each event; one that waits until then plays in real time.
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

  /// A device's clock at the world's time; one without events of its own counts from zero.
  private func clock(of player: Player) -> Timestamp {
    (player.origin ?? Timestamp(nanoseconds: 0)).advanced(bySeconds: max(0, time - player.start))
  }

  private func letPass(_ index: Int) {
    guard time >= players[index].start else { return }
    players[index].device.advance(to: clock(of: players[index]))
  }

  private func share(_ event: TimedEvent, from index: Int) {
    guard case .range(let range) = event.event else { return }
    for link in shared where link.from === players[index].device && link.peer == range.peer {
      guard let to = self.index(of: link.to) else { continue }
      // What the first one's antennas saw is not what the second one's see.
      let heard = RangeMeasurement(
        timestamp: clock(of: players[to]), peer: link.name, range: range.range,
        standardDeviation: range.standardDeviation, rssi: range.rssi, nonLineOfSight: range.nonLineOfSight,
        technology: range.technology)
      link.to.receive(TimedEvent(.range(heard)))
    }
  }
}
