import Geometry

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
