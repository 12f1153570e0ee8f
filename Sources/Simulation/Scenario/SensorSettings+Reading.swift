import Geometry
import SensorData

// Every reader starts from the defaults in `self` and takes over what the file says.

extension Scenario.Hand {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var hand = self
    try f.number("pitch_deg", -80...80).map { hand.pitch = Angle.degrees($0) }
    try f.number("sway_std_m", 0...0.1).map { hand.swayDeviation = $0 }
    try f.number("sway_std_deg", 0...10).map { hand.swayAngleDeviation = Angle.degrees($0) }
    try f.number("tremor_std_m", 0...0.01).map { hand.tremorDeviation = $0 }
    try f.number("tremor_std_deg", 0...2).map { hand.tremorAngleDeviation = Angle.degrees($0) }
    return hand
  }
}

extension Scenario.Room {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var room = self
    let walls = 0.5...200.0
    try f.number("ahead_m", walls).map { room.high.x = $0 }
    try f.number("left_m", walls).map { room.high.y = $0 }
    try f.number("ceiling_m", walls).map { room.high.z = $0 }
    try f.number("behind_m", walls).map { room.low.x = -$0 }
    try f.number("right_m", walls).map { room.low.y = -$0 }
    try f.number("floor_m", walls).map { room.low.z = -$0 }
    try f.integer("landmarks", 0...20_000).map { room.landmarks = $0 }
    try f.integer("furniture", 0...200).map { room.furniture = $0 }
    return room
  }
}

extension Scenario.Inertial {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var imu = self
    try f.number("rate_hz", 20...2000).map { imu.rate = $0 }
    try f.number("gyroscope_noise_density", 0...1).map { imu.gyroscopeNoiseDensity = $0 }
    try f.number("gyroscope_random_walk", 0...1).map { imu.gyroscopeRandomWalk = $0 }
    try f.number("gyroscope_bias_rad_s", 0...0.5).map { imu.gyroscopeBias = $0 }
    try f.number("accelerometer_noise_density", 0...1).map { imu.accelerometerNoiseDensity = $0 }
    try f.number("accelerometer_random_walk", 0...1).map { imu.accelerometerRandomWalk = $0 }
    try f.number("accelerometer_bias_m_s2", 0...5).map { imu.accelerometerBias = $0 }
    try f.number("gravity_m_s2", 1...20).map { imu.gravity = $0 }
    try f.vector("mount_position_m", -2...2).map { imu.bodyFromIMU.translation = $0 }
    try f.vector("mount_rotation_vector_deg", -180...180).map {
      imu.bodyFromIMU.rotation = .exp($0 * Angle.degrees(1))
    }
    return imu
  }
}

extension Scenario.Camera {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var camera = self
    try f.number("rate_hz", 1...120).map { camera.rate = $0 }
    try f.number("focal_length_px", 100...2000).map { camera.focalLength = $0 }
    try f.number("pixel_noise_std_px", 0...20).map { camera.pixelNoise = $0 }
    try f.integer("tracks", 0...1000).map { camera.tracks = $0 }
    try f.number("track_life_s", 0.1...1000).map { camera.trackLife = $0 }
    try f.number("outlier_share", 0...0.9).map { camera.outlierShare = $0 }
    try f.number("time_offset_s", -0.2...0.2).map { camera.timeOffset = $0 }
    try f.vector("position_m", -2...2).map { camera.position = $0 }
    try f.vector("misalignment_deg", -20...20).map { camera.misalignment = $0 * Angle.degrees(1) }
    camera.dark =
      try f.list("dark") { f throws(ScenarioError) in
        guard let from = try f.number("from_s", 0...3600) else { throw f.missing("from_s") }
        guard let to = try f.number("to_s", 0...3600) else { throw f.missing("to_s") }
        guard from <= to else { throw f.refuse("to_s", "the light comes back before it fails") }
        return from...to
      } ?? []
    let lens = try f.section("lens") { f throws(ScenarioError) in try Self.lens(&f) }
    if let lens { camera.distortion = lens }
    return camera
  }

  private static func lens(_ f: inout Fields) throws(ScenarioError) -> CameraCalibration.Distortion {
    guard let model = try f.text("model") else { throw f.missing("model") }
    let needed = ["none": 0, "fov": 1, "radial-tangential": 4, "equidistant": 4]
    guard let count = needed[model] else {
      throw f.refuse("model", "'\(model)' is not one of \(needed.keys.sorted().joined(separator: ", "))")
    }
    let c = try f.numbers("coefficients", count: count, -10...10) ?? []
    guard c.count == count else { throw f.missing("coefficients") }
    switch model {
    case "fov":
      guard c[0] > 0, c[0] < 3 else { throw f.refuse("coefficients", "the angle of the fov model is from 0 to 3 rad") }
      return .fieldOfView(w: c[0])
    case "radial-tangential": return .radialTangential(k1: c[0], k2: c[1], p1: c[2], p2: c[3])
    case "equidistant": return .equidistant(k1: c[0], k2: c[1], k3: c[2], k4: c[3])
    default: return .none
    }
  }
}

extension Scenario.Radio {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var radio = self
    try f.number("rate_hz", 0.1...200).map { radio.rate = $0 }
    try f.number("range_noise_std_m", 0...10).map { radio.rangeNoise = $0 }
    try f.number("drift_std_m", 0...10).map { radio.driftDeviation = $0 }
    try f.number("drift_time_s", 0.01...1000).map { radio.driftTime = $0 }
    try f.number("nlos_share", 0...0.95).map { radio.blockedShare = $0 }
    try f.number("nlos_dwell_s", 0.01...1000).map { radio.blockedDwell = $0 }
    try f.number("nlos_excess_m", 0...50).map { radio.blockedExcess = $0 }
    try f.number("dropout_share", 0...1).map { radio.dropoutShare = $0 }
    try f.number("outlier_share", 0...1).map { radio.outlierShare = $0 }
    try f.number("outlier_size_m", 0...100).map { radio.outlierSize = $0 }
    try f.number("claimed_range_std_m", 0.001...10).map { radio.claimedDeviation = $0 }
    try f.number("angle_noise_std_deg", 0.001...90).map { radio.angleNoise = Angle.degrees($0) }
    try f.number("latency_s", 0...2).map { radio.latency = $0 }
    try f.number("latency_jitter_s", 0...2).map { radio.latencyJitter = $0 }
    if let antennas = try f.vectors("antennas_m", -2...2) {
      guard !antennas.isEmpty else { throw f.refuse("antennas_m", "a radio has an antenna") }
      guard antennas.keys.allSatisfy(Fields.isName) else {
        throw f.refuse("antennas_m", "a comma, a quotation mark or a line break cannot stand in a column")
      }
      radio.antennas = antennas
    }
    return radio
  }
}

extension Scenario.Odometry {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var odometry = self
    try f.number("rate_hz", 1...500).map { odometry.rate = $0 }
    try f.number("position_random_walk_m_sqrt_m", 0...1).map { odometry.positionRandomWalk = $0 }
    try f.number("yaw_random_walk_rad_sqrt_s", 0...1).map { odometry.yawRandomWalk = $0 }
    return odometry
  }
}
