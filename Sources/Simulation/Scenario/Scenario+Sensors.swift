import Foundation
import Geometry
import SensorData

extension Scenario {
  /// The camera, its feature tracker and the light.
  package struct Camera: Equatable, Sendable {
    /// Frames per second.
    package var rate = 20.0
    /// Lens distortion.
    package var distortion = CameraCalibration.Distortion.radialTangential(k1: -0.05, k2: 0.02, p1: 2e-4, p2: -1e-4)
    /// Focal length, pixels.
    package var focalLength = 420.0
    /// Image size, pixels.
    package var width = 640, height = 480
    /// Noise of a tracked feature, pixels.
    package var pixelNoise = 1.0
    /// Decimals of a pixel in the recording.
    package var pixelDecimals = 3
    /// Tracks per frame at most.
    package var tracks = 100
    /// Mean lifetime of a track, seconds.
    package var trackLife = 3.0
    /// Fraction of outlier tracks, which drift away from their landmark.
    package var outlierShare = 0.0
    /// Fraction of frames that never arrive.
    package var droppedShare = 0.0
    /// Mean length of an interval without frames, seconds; if much shorter than a frame, losses are independent.
    package var droppedDwell = 0.001
    /// Added to a frame's stamp it gives the time on the IMU's clock, seconds.
    package var timeOffset = 0.0
    /// How its rows are exposed.
    package var shutter = Shutter()
    /// Its mount.
    package var mount = Mount()
    /// The mount of a second camera, which observes the tracks of the first; nil: there is none.
    package var second: Mount?
    /// Error of the calibration in the recording.
    package var miscalibration = Miscalibration()
    /// Intervals without light, seconds from the start.
    package var dark: [ClosedRange<Double>] = []
    /// Intervals in which a hand covers the lenses, seconds from the start.
    package var covered: [ClosedRange<Double>] = []

    /// A phone's camera.
    package init() {}
  }

  /// A rolling shutter, or a global one.
  package struct Shutter: Equatable, Sendable {
    /// Seconds from the exposure of the first row to that of the last, 0: global; a frame's time is that of its middle
    /// row.
    package var rowSkew = 0.0
    /// Whether the recording's calibration says so.
    package var isStated = true
    /// Exposure of an image row, seconds, centred on the row's time; 0: no motion blur.
    package var exposure = 0.0
  }

  /// The mount of a camera in the device.
  package struct Mount: Equatable, Sendable {
    /// Position in the body (device axes), metres.
    package var position: Vector3
    /// Misalignment against the device, rotation vector in camera axes, radians.
    package var misalignment = Vector3(0.004, -0.006, 0.008)

    /// A mount; without `position` that of a phone's main camera.
    package init(position: Vector3 = Vector3(0.025, 0.06, -0.004)) { self.position = position }
  }
}

extension Scenario.Camera {
  /// The true calibrations, cam0 first.
  var calibrations: [CameraCalibration] {
    [calibration(mount)] + (second.map { [calibration($0, featureIDs: .shared)] } ?? [])
  }

  private func calibration(
    _ mount: Scenario.Mount, featureIDs: CameraCalibration.FeatureIDs = .separate
  ) -> CameraCalibration {
    let deviceFromCamera = Rotation(w: 0, x: 1, y: 0, z: 0)  // 180 degrees about x: y and z flip
    return CameraCalibration(
      bodyFromCamera: Pose(rotation: deviceFromCamera * .exp(mount.misalignment), translation: mount.position),
      fx: focalLength, fy: focalLength * 1.002, cx: 321.3 * (Double(width) / 640), cy: 238.6 * (Double(height) / 480),
      distortion: distortion, width: width, height: height, pixelNoise: pixelNoise, timeOffset: timeOffset,
      featureIDs: featureIDs, rate: rate, rowTime: shutter.rowSkew / Double(height - 1),
      stampedRow: shutter.rowSkew == 0 ? 0 : Double(height - 1) / 2)
  }

  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var camera = self
    try f.number("rate_hz", 1...120).map { camera.rate = $0 }
    try f.number("focal_length_px", 100...2000).map { camera.focalLength = $0 }
    if let size = try f.numbers("resolution_px", count: 2, 16...4096) {
      (camera.width, camera.height) = (Int(size[0]), Int(size[1]))
    }
    try f.number("pixel_noise_std_px", 0...20).map { camera.pixelNoise = $0 }
    try f.integer("pixel_decimals", 0...6).map { camera.pixelDecimals = $0 }
    try f.integer("tracks", 0...1000).map { camera.tracks = $0 }
    try f.number("track_life_s", 0.1...1000).map { camera.trackLife = $0 }
    try f.number("outlier_share", 0...0.9).map { camera.outlierShare = $0 }
    try f.number("dropped_share", 0...0.9).map { camera.droppedShare = $0 }
    try f.number("dropped_dwell_s", 0.001...1000).map { camera.droppedDwell = $0 }
    try f.number("time_offset_s", -0.5...0.5).map { camera.timeOffset = $0 }
    try f.number("row_skew_s", 0...0.1).map { camera.shutter.rowSkew = $0 }
    try f.flag("row_time_stated").map { camera.shutter.isStated = $0 }
    try f.number("exposure_ms", 0...100).map { camera.shutter.exposure = $0 / 1000 }
    try camera.mount.read(&f)
    camera.second = try f.section("second") { f throws(ScenarioError) in
      var mount = Scenario.Mount(position: mount.position + Vector3(0.1, 0, 0))
      try mount.read(&f)
      return mount
    }
    let wrong = try f.section("miscalibration") { f throws(ScenarioError) in try Scenario.Miscalibration().read(&f) }
    if let wrong { camera.miscalibration = wrong }
    camera.dark = try f.timeIntervals("dark") ?? []
    camera.covered = try f.timeIntervals("covered") ?? []
    let lens = try f.section("lens") { f throws(ScenarioError) in try Self.lens(&f) }
    if let lens { camera.distortion = lens }
    return camera
  }

  private static func lens(_ f: inout Fields) throws(ScenarioError) -> CameraCalibration.Distortion {
    guard let model = try f.text("model") else { throw f.missing("model") }
    let needed = [
      "none": 0, "fov": 1, "radial-tangential": 4, "equidistant": 4, "rational": 8, "omni": 5, "ds": 2, "eucm": 2,
    ]
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
    case "rational":
      return .rational(k1: c[0], k2: c[1], p1: c[2], p2: c[3], k3: c[4], k4: c[5], k5: c[6], k6: c[7])
    case "omni": return .omni(xi: c[0], k1: c[1], k2: c[2], p1: c[3], p2: c[4])
    case "ds": return .doubleSphere(xi: c[0], alpha: c[1])
    case "eucm": return .extendedUnified(alpha: c[0], beta: c[1])
    default: return .none
    }
  }
}

extension Scenario.Mount {
  fileprivate mutating func read(_ f: inout Fields) throws(ScenarioError) {
    if let position = try f.vector("position_m", -2...2) { self.position = position }
    if let degrees = try f.vector("misalignment_deg", -20...20) { misalignment = degrees * Angle.degrees(1) }
  }
}

extension Scenario {
  /// The inertial unit and its errors; the defaults are those of a phone.
  package struct Inertial: Equatable, Sendable {
    /// Samples per second.
    package var rate = 200.0
    /// White noise density of the gyroscope, rad/s/sqrt(Hz).
    package var gyroscopeNoiseDensity = 2e-4
    /// Random walk of its bias, rad/s^2/sqrt(Hz).
    package var gyroscopeRandomWalk = 2e-5
    /// Largest initial bias, each axis, rad/s.
    package var gyroscopeBias = 0.01
    /// Its scale and misalignment errors and limit (rad/s).
    package var gyroscopeTriad = Triad()
    /// White noise density of the accelerometer, m/s^2/sqrt(Hz).
    package var accelerometerNoiseDensity = 2e-3
    /// Random walk of its bias, m/s^3/sqrt(Hz).
    package var accelerometerRandomWalk = 5e-4
    /// Largest initial bias, each axis, m/s^2.
    package var accelerometerBias = 0.2
    /// Its scale and misalignment errors and limit (m/s^2).
    package var accelerometerTriad = Triad()
    /// Local gravity, m/s^2.
    package var gravity = 9.81
    /// `T_BS`: the body, whose axes are the device's, from the IMU.
    package var bodyFromIMU = Pose.identity
    /// 1-sigma of the error of a sample's stamp, seconds; truncated at 0.45 of a period, which keeps the order.
    package var stampJitter = 0.0
    /// Intervals without samples, seconds from the start.
    package var gaps: [ClosedRange<Double>] = []

    /// A phone's inertial unit.
    package init() {}
  }

  /// The deterministic errors of three axes: `measured = (I + S) true`, saturated at a limit.
  package struct Triad: Equatable, Sendable {
    /// Largest scale error of an axis: the diagonal of S is uniform within it.
    package var scale = 0.0
    /// Largest misalignment of an axis, radians: each off-diagonal element of S is uniform within it.
    package var misalignment = 0.0
    /// Absolute value at which an axis saturates; nil: no limit.
    package var limit: Double?

    /// Three perfect axes.
    package init() {}
  }
}

extension Scenario.Inertial {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var imu = self
    try f.number("rate_hz", 20...2000).map { imu.rate = $0 }
    try f.number("gyroscope_noise_density", 0...1).map { imu.gyroscopeNoiseDensity = $0 }
    try f.number("gyroscope_random_walk", 0...1).map { imu.gyroscopeRandomWalk = $0 }
    try f.number("gyroscope_bias_rad_s", 0...0.5).map { imu.gyroscopeBias = $0 }
    try imu.gyroscopeTriad.read(&f, "gyroscope", limit: "gyroscope_range_deg_s", Angle.degrees(1))
    try f.number("accelerometer_noise_density", 0...1).map { imu.accelerometerNoiseDensity = $0 }
    try f.number("accelerometer_random_walk", 0...1).map { imu.accelerometerRandomWalk = $0 }
    try f.number("accelerometer_bias_m_s2", 0...5).map { imu.accelerometerBias = $0 }
    try imu.accelerometerTriad.read(&f, "accelerometer", limit: "accelerometer_range_g", 9.80665)
    try f.number("gravity_m_s2", 1...20).map { imu.gravity = $0 }
    try f.vector("mount_position_m", -2...2).map { imu.bodyFromIMU.translation = $0 }
    try f.vector("mount_rotation_vector_deg", -180...180).map {
      imu.bodyFromIMU.rotation = .exp($0 * Angle.degrees(1))
    }
    try f.number("stamp_jitter_std_s", 0...0.1).map { imu.stampJitter = $0 }
    try f.timeIntervals("gaps").map { imu.gaps = $0 }
    return imu
  }
}

extension Scenario.Triad {
  fileprivate mutating func read(
    _ f: inout Fields, _ name: String, limit key: String, _ unit: Double
  ) throws(ScenarioError) {
    if let percent = try f.number("\(name)_scale_percent", 0...20) { scale = percent / 100 }
    if let angle = try f.number("\(name)_misalignment_deg", 0...20) { misalignment = Angle.degrees(angle) }
    if let largest = try f.number(key, 0.1...100_000) { limit = largest * unit }
  }
}

extension Scenario {
  /// Error of the calibration in the recording; every seed draws its direction or sign.
  package struct Miscalibration: Equatable, Sendable {
    /// Of both focal lengths, relative.
    package var focalLength = 0.0
    /// Of the principal point, pixels.
    package var principalPoint = 0.0
    /// Of the camera's rotation, radians.
    package var rotation = 0.0
    /// Of the camera's position, metres.
    package var position = 0.0
    /// Of the time offset, seconds.
    package var timeOffset = 0.0

    /// A calibration without error.
    package init() {}

    /// The calibration `truth` with this error.
    func stated(_ truth: CameraCalibration, _ random: inout SeededRandom) -> CameraCalibration {
      var stated = truth
      let fraction = random.chance(0.5) ? focalLength : -focalLength
      (stated.fx, stated.fy) = (truth.fx * (1 + fraction), truth.fy * (1 + fraction))
      let angle = random.uniform(0...(2 * .pi))
      stated.cx += principalPoint * cos(angle)
      stated.cy += principalPoint * sin(angle)
      stated.bodyFromCamera.rotation = truth.bodyFromCamera.rotation * .exp(rotation * random.direction())
      stated.bodyFromCamera.translation += position * random.direction()
      stated.timeOffset += random.chance(0.5) ? timeOffset : -timeOffset
      return stated
    }

    func read(_ f: inout Fields) throws(ScenarioError) -> Self {
      var result = self
      try f.number("focal_length_percent", 0...10).map { result.focalLength = $0 / 100 }
      try f.number("principal_point_px", 0...100).map { result.principalPoint = $0 }
      try f.number("rotation_deg", 0...10).map { result.rotation = Angle.degrees($0) }
      try f.number("position_m", 0...0.5).map { result.position = $0 }
      try f.number("time_offset_s", 0...0.5).map { result.timeOffset = $0 }
      return result
    }
  }

  /// Poses from another tracker.
  package struct Odometry: Equatable, Sendable {
    /// Poses per second.
    package var rate = 30.0
    /// Growth of the position error, m/sqrt(m travelled).
    package var positionRandomWalk = 0.01
    /// Growth of the heading error, rad/sqrt(s).
    package var yawRandomWalk = 0.002
    /// Both random walks as the recording states them, over the true ones.
    var claimedFactor = 1.0

    /// The defaults.
    package init() {}

    /// A tracker without error, at 100 Hz.
    static let exact = {
      var odometry = Scenario.Odometry()
      (odometry.rate, odometry.positionRandomWalk, odometry.yawRandomWalk) = (100, 0, 0)
      return odometry
    }()
  }

  /// The same scenario with external odometry instead of a camera: its own odometry, or else one without error. All
  /// other sensors' data stay the same.
  package var withExternalOdometry: Scenario {
    var scenario = self
    scenario.camera = nil
    scenario.odometry = odometry ?? .exact
    return scenario
  }
}

extension Scenario.Odometry {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var odometry = self
    try f.number("rate_hz", 1...500).map { odometry.rate = $0 }
    try f.number("position_random_walk_m_sqrt_m", 0...1).map { odometry.positionRandomWalk = $0 }
    try f.number("yaw_random_walk_rad_sqrt_s", 0...1).map { odometry.yawRandomWalk = $0 }
    try f.number("claimed_noise_factor", 0.001...1000).map { odometry.claimedFactor = $0 }
    return odometry
  }
}
