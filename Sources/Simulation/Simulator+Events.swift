import Geometry
import SensorData

extension Simulator {
  /// The events of all sensors, in the order of reading a folder.
  func events(_ samples: [IMUSample]) -> [TimedEvent] {
    var events = samples.map { TimedEvent(.imu($0)) }
    if let odometry = scenario.odometry {
      let poses = OdometrySimulator.poses(odometry, along: motion, start: Self.start, seed: seed)
      events += poses.map { TimedEvent(.odometry($0)) }
    }
    events += frames().filter { !scenario.isSuspended(at: seconds($0.timestamp) + (scenario.camera?.timeOffset ?? 0)) }
      .map { TimedEvent(.frame($0)) }
    events += scenario.events.filter { $0.time <= motion.duration }.map {
      TimedEvent(
        .device(DeviceEvent(timestamp: Self.start.advanced(bySeconds: $0.time), name: $0.name, peer: $0.peer)))
    }
    events += scenario.peers.indices.flatMap { draws(of: $0).map(\.event) }
    return TimedEvent.ordered(events)
  }

  /// Timestamps, by peer, of the ranges that are NLOS or outliers; not known to the radio.
  package func impairedRanges() -> [String: Set<Timestamp>] {
    var times: [String: Set<Timestamp>] = [:]
    for (number, peer) in scenario.peers.enumerated() {
      times[peer.reportedID, default: []].formUnion(
        draws(of: number).filter(\.isImpaired).map(\.event.event.timestamp))
    }
    return times
  }

  /// The ranges to peer number `number`.
  private func draws(of number: Int) -> [RangeSimulator.Draw] {
    let peer = scenario.peers[number]
    let lineOfSight = LineOfSight(walls: scenario.walls, body: scenario.body)
    let scene = RangeSimulator.Scene(motion: motion, bodyFromDevice: .identity, lineOfSight: lineOfSight) {
      plan.pose(at: $0)
    }
    return RangeSimulator.ranges(
      scenario.radio, to: peer, number: number, of: scenario.peers.count, in: scene, start: Self.start, seed: seed
    ).filter {
      let time = seconds($0.event.event.timestamp)
      return !scenario.isSuspended(at: time) && !scenario.hasEnded(peer.id, at: time)
    }
  }

  /// The stationary landmarks, world, metres.
  package var landmarks: [Vector3] { RoomLandmarks(scenario.room, walls: scenario.walls, seed: seed).points }

  /// The cameras along the motion, cam0 first.
  var cameraViews: [CameraView] {
    guard let camera = scenario.camera else { return [] }
    return camera.calibrations.map {
      CameraView($0, along: motion, rowSkew: camera.rowSkew, walls: scenario.walls)
    }
  }

  /// Whether the camera gets no light at a time, seconds: the lamps are off, or the phone lies on its lens.
  func isDark(at time: Double) -> Bool {
    scenario.camera?.dark.contains { $0.contains(time) } ?? false || plan.pose(at: time).isOnItsLens
  }

  /// The light that the camera receives at a time, seconds.
  func light(at time: Double) -> CameraLight {
    if isDark(at: time) { return .none }
    return scenario.camera?.covered.contains { $0.contains(time) } ?? false ? .throughTheHand : .room
  }

  private func frames() -> [CameraFrame] {
    guard let camera = scenario.camera else { return [] }
    return CameraSimulator.frames(
      camera, views: cameraViews,
      landmarks: MovingLandmarks(fixed: landmarks, movers: scenario.movers, seed: seed), duration: motion.duration,
      start: Self.start, seed: seed, light: light)
  }

  private func seconds(_ stamp: Timestamp) -> Double { stamp.seconds(since: Self.start) }
}

extension TimedEvent {
  /// Events by arrival, then by timestamp, then by `SensorEvent.rank`. The index in the list is the last key, so the
  /// order does not depend on the sorting algorithm.
  static func ordered(_ events: [TimedEvent]) -> [TimedEvent] {
    let order = events.indices.sorted {
      let (a, b) = (events[$0], events[$1])
      return (a.arrival, a.event.timestamp, a.event.rank, $0) < (b.arrival, b.event.timestamp, b.event.rank, $1)
    }
    return order.map { events[$0] }
  }
}
