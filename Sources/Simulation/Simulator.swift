import Datasets
import Geometry
import SensorData

/// Simulates a scenario: the true motion and all sensors' measurements. Same scenario and seed, same numbers.
package struct Simulator: Sendable {
  /// Start of every simulated recording: 1 700 000 000 s.
  package static let start = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
  /// Seconds between the control poses of the motion.
  static let spacing = 0.04

  /// The scenario with the peers' parameters drawn from the seed.
  package let scenario: Scenario
  /// The seed of all randomness.
  package let seed: UInt64
  /// The intended motion, without the involuntary motion of the hand.
  package let plan: MotionPlan
  /// The true motion of the body, whose axes are the device's (x right, y up, -z out of the back camera).
  package let motion: PoseSpline

  /// - Throws: `ScenarioError` when the scenario's motion is invalid: an unknown peer, no length, over an hour, through
  ///   a wall.
  package init(scenario: Scenario, seed: UInt64) throws(ScenarioError) {
    self.scenario = scenario.drawn(seed: seed)
    self.seed = seed
    let plan = try self.scenario.plan()
    self.plan = plan
    guard plan.duration > 0, plan.duration <= 3600 else {
      throw ScenarioError(
        file: scenario.name, line: nil, problem: "the motion lasts \(plan.duration) s, expected up to 3600")
    }
    if scenario.camera != nil, let time = Self.hitsWall(plan, scenario) {
      let tenths = Double(Int(time * 10)) / 10
      throw ScenarioError(
        file: scenario.name, line: nil,
        problem: "the hand goes through a wall of the room at \(tenths) s, expected a larger room or a shorter path",
        isThroughWall: true)
    }
    var random = RandomStream.tremor.generator(seed: seed)
    let tremor = HandTremor(scenario.hand, spacing: Self.spacing, random: &random)
    motion = PoseSpline(duration: plan.duration, spacing: Self.spacing) { time in
      let pose = plan.pose(at: time)
      return pose.worldFromDevice * tremor.pose(at: time, grip: pose.grip)
    }
  }

  /// The true calibration of the device.
  package var rig: RigCalibration {
    let imu = scenario.imu
    return RigCalibration(
      imu: IMUCalibration(
        bodyFromIMU: imu.bodyFromIMU, gyroscopeNoiseDensity: imu.gyroscopeNoiseDensity,
        gyroscopeRandomWalk: imu.gyroscopeRandomWalk, accelerometerNoiseDensity: imu.accelerometerNoiseDensity,
        accelerometerRandomWalk: imu.accelerometerRandomWalk, gravityMagnitude: imu.gravity, rate: imu.rate),
      cameras: scenario.camera?.calibrations ?? [],
      radio: scenario.peers.isEmpty ? nil : scenario.radioCalibration,
      odometry: scenario.odometry.map {
        OdometryCalibration(
          positionRandomWalk: $0.claimedFactor * $0.positionRandomWalk,
          yawRandomWalk: $0.claimedFactor * $0.yawRandomWalk)
      },
      bodyFromDevice: .identity)
  }

  /// The calibration stated in the recording: with the scenario's miscalibration.
  package var statedRig: RigCalibration {
    var rig = rig
    if scenario.camera?.shutter.isStated == false {
      for i in rig.cameras.indices { (rig.cameras[i].rowTime, rig.cameras[i].stampedRow) = (0, 0) }
    }
    guard let wrong = scenario.camera?.miscalibration, wrong != Scenario.Miscalibration() else { return rig }
    var random = RandomStream.miscalibration.generator(seed: seed)
    for i in rig.cameras.indices { rig.cameras[i] = wrong.stated(rig.cameras[i], &random) }
    // Two cameras of one device share one clock.
    for i in rig.cameras.indices { rig.cameras[i].timeOffset = rig.cameras[0].timeOffset }
    return rig
  }

  /// All sensor events, ordered by arrival, then by timestamp, then by `SensorEvent.rank`.
  package func events() -> [TimedEvent] { events(inertial().samples) }

  /// The true states at the scenario's truth rate or, with a slower IMU, at its rate.
  package func truth() -> [GroundTruthState] { truth(inertial()) }

  /// True positions of the peers: one row each, and rows at 10 Hz to the end for moving ones. An id that two tags share
  /// has none.
  package var peers: [GroundTruthPeer] {
    GroundTruthPeer.rows(of: scenario.peers, from: Self.start, lasting: motion.duration)
  }

  /// The whole recording, ready to be written.
  package func recording() -> DatasetContents {
    let inertial = inertial()
    return DatasetContents(
      title: "simulated: \(scenario.name)", source: "fuse simulate \(scenario.name) --seed \(seed)",
      licence: "Apache-2.0", note: scenario.summary, rig: statedRig, events: events(inertial.samples),
      truth: truth(inertial), peers: peers, pixelDecimals: scenario.camera?.pixelDecimals ?? 3)
  }

  private func inertial() -> InertialSimulator {
    InertialSimulator(scenario.imu, along: motion, start: Self.start, seed: seed)
  }

  private func truth(_ inertial: InertialSimulator) -> [GroundTruthState] {
    let stride = max(1, Int((scenario.imu.rate / scenario.truthRate).rounded()))
    return Swift.stride(from: 0, to: inertial.biases.count, by: stride).map { k in
      let time = Double(k) / scenario.imu.rate
      let state = motion.kinematics(at: time)
      return GroundTruthState(
        timestamp: Self.start.advanced(bySeconds: time), worldFromBody: state.worldFromBody, velocity: state.velocity,
        gyroscopeBias: inertial.biases[k].gyroscope, accelerometerBias: inertial.biases[k].accelerometer)
    }
  }

  /// The first time at which the hand is within 10 cm of a face of the room or beyond it, or has crossed a wall inside,
  /// seconds.
  private static func hitsWall(_ plan: MotionPlan, _ scenario: Scenario) -> Double? {
    let room = scenario.room
    return stride(from: 0, through: plan.duration, by: spacing).first { time in
      let position = plan.pose(at: time).position
      // Over two steps: a segment that ends on a wall does not cross it.
      let before = plan.pose(at: time - 2 * spacing).position
      return any(position .< room.low + 0.1) || any(position .> room.high - 0.1)
        || scenario.walls.contains { $0.intersectsSegment(from: before, to: position) }
    }
  }
}

extension GroundTruthPeer {
  /// One row for each peer at `start`, and rows at 10 Hz to the end, `duration` seconds later, for moving ones.
  static func rows(of peers: [Scenario.Peer], from start: Timestamp, lasting duration: Double) -> [GroundTruthPeer] {
    let shared = Set(peers.compactMap(\.alias))
    let peers = peers.filter { $0.alias == nil && !shared.contains($0.id) }
    let moving = peers.filter { !$0.path.isEmpty }
    let ticks = moving.isEmpty ? 0 : Int((duration * 10).rounded(.up))
    return (0...ticks).flatMap { tick in
      let time = Double(tick) / 10
      return (tick == 0 ? peers : moving).map {
        GroundTruthPeer(timestamp: start.advanced(bySeconds: time), peer: $0.id, position: $0.position(at: time))
      }
    }
  }
}

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
      CameraView($0, along: motion, rowSkew: camera.shutter.rowSkew, walls: scenario.walls)
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
