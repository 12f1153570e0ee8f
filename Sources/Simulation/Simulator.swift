import Datasets
import Geometry
import SensorData

/// Plays a scenario: the true motion, and what every sensor makes of it. Same scenario and seed, same numbers.
package struct Simulator: Sendable {
  /// When every simulated recording starts: 1 700 000 000 s.
  package static let start = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
  /// Seconds between the control poses of the motion.
  static let spacing = 0.04

  /// What is played.
  package let scenario: Scenario
  /// The seed of all randomness.
  package let seed: UInt64
  /// The true motion of the body, whose axes are the device's (x right, y up, -z out of the back camera).
  package let motion: PoseSpline

  /// - Throws: `ScenarioError` when the scenario's motion makes no sense: an unknown peer, no length, over an hour,
  ///   through a wall.
  package init(scenario: Scenario, seed: UInt64) throws(ScenarioError) {
    self.scenario = scenario
    self.seed = seed
    let plan = try scenario.plan()
    guard plan.duration > 0, plan.duration <= 3600 else {
      throw ScenarioError(
        file: scenario.name, line: nil, problem: "the motion lasts \(plan.duration) s, expected up to 3600")
    }
    if scenario.camera != nil, let time = Self.leavesRoom(plan, scenario.room) {
      let tenths = Double(Int(time * 10)) / 10
      throw ScenarioError(
        file: scenario.name, line: nil,
        problem: "the hand goes through a wall of the room at \(tenths) s, expected a larger room or a shorter way")
    }
    var random = RandomStream.tremor.generator(seed: seed)
    let tremor = HandTremor(scenario.hand, spacing: Self.spacing, random: &random)
    motion = PoseSpline(duration: plan.duration, spacing: Self.spacing) { time in
      plan.pose(at: time).worldFromDevice * tremor.pose(at: time)
    }
  }

  /// The device as it is: calibration without error.
  package var rig: RigCalibration {
    let imu = scenario.imu
    return RigCalibration(
      imu: IMUCalibration(
        bodyFromIMU: imu.bodyFromIMU, gyroscopeNoiseDensity: imu.gyroscopeNoiseDensity,
        gyroscopeRandomWalk: imu.gyroscopeRandomWalk, accelerometerNoiseDensity: imu.accelerometerNoiseDensity,
        accelerometerRandomWalk: imu.accelerometerRandomWalk, gravityMagnitude: imu.gravity, rate: imu.rate),
      cameras: scenario.camera.map { [$0.calibration] } ?? [],
      radio: scenario.peers.isEmpty
        ? nil
        : RadioCalibration(
          antennas: scenario.radio.antennas, rangeNoise: scenario.radio.statedDeviation, rate: scenario.radio.rate),
      odometry: scenario.odometry.map {
        OdometryCalibration(positionRandomWalk: $0.positionRandomWalk, yawRandomWalk: $0.yawRandomWalk)
      },
      bodyFromDevice: .identity)
  }

  /// Everything that the sensors said, in the order in which it became known and, at one time, of `SensorEvent.rank`.
  package func events() -> [TimedEvent] { sorted(inertial().samples) }

  /// The true states at 100 Hz or, with a slower IMU, at its rate.
  package func truth() -> [GroundTruthState] { truth(inertial()) }

  /// Where the peers truly are.
  package var peers: [GroundTruthPeer] {
    scenario.peers.map { GroundTruthPeer(timestamp: Self.start, peer: $0.id, position: $0.position) }
  }

  /// The whole recording, ready to be written.
  package func recording() -> DatasetContents {
    let inertial = inertial()
    return DatasetContents(
      title: "simulated: \(scenario.name)", source: "fuse simulate \(scenario.name) --seed \(seed)",
      licence: "Apache-2.0", note: scenario.summary, rig: rig, events: sorted(inertial.samples),
      truth: truth(inertial), peers: peers)
  }

  private func inertial() -> InertialSimulator {
    InertialSimulator(scenario.imu, along: motion, start: Self.start, seed: seed)
  }

  private func truth(_ inertial: InertialSimulator) -> [GroundTruthState] {
    let stride = max(1, Int((scenario.imu.rate / 100).rounded()))
    return Swift.stride(from: 0, to: inertial.samples.count, by: stride).map { k in
      let state = motion.kinematics(at: Double(k) / scenario.imu.rate)
      return GroundTruthState(
        timestamp: inertial.samples[k].timestamp, worldFromBody: state.worldFromBody, velocity: state.velocity,
        gyroscopeBias: inertial.biases[k].gyroscope, accelerometerBias: inertial.biases[k].accelerometer)
    }
  }

  private func sorted(_ samples: [IMUSample]) -> [TimedEvent] {
    var events = samples.map { TimedEvent(.imu($0)) }
    if let odometry = scenario.odometry {
      let poses = OdometrySimulator.poses(odometry, along: motion, start: Self.start, seed: seed)
      events += poses.map { TimedEvent(.odometry($0)) }
    }
    if let camera = scenario.camera {
      let landmarks = RoomLandmarks.points(scenario.room, seed: seed)
      let frames = CameraSimulator.frames(
        camera, camera: camera.calibration, landmarks: landmarks, along: motion, start: Self.start, seed: seed)
      events += frames.map { TimedEvent(.frame($0)) }
    }
    for (number, peer) in scenario.peers.enumerated() {
      events += RangeSimulator.ranges(
        scenario.radio, to: peer, number: number, of: scenario.peers.count, along: motion, start: Self.start, seed: seed
      )
    }
    // The order of reading a folder, with the place in the list as the last key: it must not depend on the sorting.
    let order = events.indices.sorted {
      let (a, b) = (events[$0], events[$1])
      return (a.arrival, a.event.timestamp, a.event.rank, $0) < (b.arrival, b.event.timestamp, b.event.rank, $1)
    }
    return order.map { events[$0] }
  }

  /// The first moment at which the hand is nearer than 10 cm to a wall or beyond it, seconds.
  private static func leavesRoom(_ plan: MotionPlan, _ room: Scenario.Room) -> Double? {
    stride(from: 0, through: plan.duration, by: Self.spacing).first { time in
      let position = plan.pose(at: time).position
      return any(position .< room.low + 0.1) || any(position .> room.high - 0.1)
    }
  }
}

extension Scenario.Camera {
  /// The camera as it stands in the recording.
  var calibration: CameraCalibration {
    let deviceFromCamera = Rotation(w: 0, x: 1, y: 0, z: 0)  // half a turn about x: y and z flip
    return CameraCalibration(
      bodyFromCamera: Pose(rotation: deviceFromCamera * .exp(misalignment), translation: position),
      fx: focalLength, fy: focalLength * 1.002, cx: 321.3, cy: 238.6, distortion: distortion, width: 640, height: 480,
      pixelNoise: pixelNoise, timeOffset: timeOffset, rate: rate)
  }
}
