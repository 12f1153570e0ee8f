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
        problem: "the hand goes through a wall of the room at \(tenths) s, expected a larger room or a shorter path")
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
    if scenario.camera?.statesRowTime == false {
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
