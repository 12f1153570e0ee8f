import Geometry
import SensorData

/// The `sensor.yaml` of every kind of sensor, EuRoC's keys and the project's own.
enum SensorCalibrations {
  private static let common = ["sensor_type", "comment", "T_BS", "q_BS", "rate_hz"]
  private static let positive = Double.leastNormalMagnitude...1e6
  private static let notNegative = 0...1e6

  /// `imu0/sensor.yaml`.
  static func imu(_ file: CalibrationFile, warnings: inout [String]) throws(DatasetError) -> IMUCalibration {
    warnings += try file.check(known: common + noiseKeys + ["gravity_magnitude"])
    var calibration = try noise(file)
    calibration.bodyFromIMU = try pose(file, &warnings)
    calibration.gravityMagnitude = try file.number("gravity_magnitude", "m/s^2 above 0", in: 0.1...100) ?? 9.81
    calibration.rate = try rate(file)
    return calibration
  }

  private static let noiseKeys = [
    "gyroscope_noise_density", "gyroscope_random_walk", "accelerometer_noise_density", "accelerometer_random_walk",
  ]

  /// Kalibr's four noise parameters; white noise must not be zero.
  static func noise(_ file: CalibrationFile) throws(DatasetError) -> IMUCalibration {
    IMUCalibration(
      gyroscopeNoiseDensity: try file.neededNumber(noiseKeys[0], "rad/s/sqrt(Hz) above 0", in: positive),
      gyroscopeRandomWalk: try file.neededNumber(noiseKeys[1], "rad/s^2/sqrt(Hz), 0 or more", in: notNegative),
      accelerometerNoiseDensity: try file.neededNumber(noiseKeys[2], "m/s^2/sqrt(Hz) above 0", in: positive),
      accelerometerRandomWalk: try file.neededNumber(noiseKeys[3], "m/s^3/sqrt(Hz), 0 or more", in: notNegative))
  }

  /// `cam0/sensor.yaml`.
  static func camera(
    _ file: CalibrationFile, number: Int, warnings: inout [String]
  ) throws(DatasetError) -> CameraCalibration {
    let ids = "feature_ids"
    warnings += try file.check(
      known: common + [
        "resolution", "camera_model", "intrinsics", "distortion_model", "distortion_coefficients",
        "pixel_noise_sigma", "time_offset_cam_to_imu_s", "image_bits", "row_time_s", "stamped_row",
        "readout_time_s", ids,
      ])
    guard let pose = try file.pose("T_BS") else {
      throw file.fault("T_BS", found: "no key T_BS", expected: "T_BS: the camera in the body, 16 numbers")
    }
    var camera = try CameraLens.camera(file, coefficientsKey: "distortion_coefficients")
    camera.bodyFromCamera = pose
    camera.pixelNoise = try file.number("pixel_noise_sigma", "pixels above 0", in: 1e-6...1e4) ?? 1
    camera.timeOffset = try file.number("time_offset_cam_to_imu_s", "seconds, less than 10", in: -10...10) ?? 0
    try rollingShutter(file, &camera)
    camera.rate = try rate(file)
    if let bits = try file.number("image_bits", "bits in use of 16, from 9 to 16", in: 9...16) {
      camera.imageBits = Int(bits)
    }
    if let name = try file.text(ids) {
      guard let meaning = CameraCalibration.FeatureIDs(rawValue: name) else {
        throw file.fault(ids, found: "\(ids): '\(name)'", expected: "shared or separate")
      }
      if number == 0 {
        warnings.append("\(file.path): \(ids) has no effect in cam0")
      } else {
        camera.featureIDs = meaning
      }
    }
    return camera
  }

  /// `row_time_s` and `stamped_row` or, as imports before them wrote it, `readout_time_s` about the middle row.
  private static func rollingShutter(
    _ file: CalibrationFile, _ camera: inout CameraCalibration
  ) throws(DatasetError) {
    let rows = Double(max(camera.height - 1, 1))
    let readout = try file.number("readout_time_s", "seconds from the first row to the last, 0 or more", in: 0...1)
    let rowTime = try file.number(
      "row_time_s", "seconds from a row to the next, at most 0.2 s for the whole image", in: -0.2 / rows...0.2 / rows)
    let stamped = try file.number(
      "stamped_row", "the row that a frame's timestamp tells, 0 to \(camera.height - 1)", in: 0...rows)
    if let rowTime {
      (camera.rowTime, camera.stampedRow) = (rowTime, stamped ?? 0)
    } else if let readout {
      (camera.rowTime, camera.stampedRow) = (readout / rows, stamped ?? rows / 2)
    }
  }

  /// `uwb0/sensor.yaml`.
  static func radio(_ file: CalibrationFile, warnings: inout [String]) throws(DatasetError) -> RadioCalibration {
    warnings += try file.check(
      known: common + ["range_noise_std", "antennas", "range_bias", "range_bias_std", "range_filter", "mobility"])
    let rangeNoise = try file.number("range_noise_std", "metres above 0", in: 1e-6...1e4)
    let rate = try rate(file)
    let filter = try rangeFilter(file)
    let mobility = try mobility(file, warnings: &warnings)
    guard let named = try file.section("antennas") else {
      let origin = try pose(file, &warnings).translation
      let bias = try rangeBias(file, antennas: nil, warnings: &warnings)
      return RadioCalibration(
        antennas: ["": origin], rangeNoise: rangeNoise, rate: rate, rangeBias: bias, rangeFilter: filter,
        mobility: mobility)
    }
    _ = try file.pose("T_BS")
    var antennas: [String: Vector3] = [:]
    for id in named.keys {
      let what = "[x, y, z] in metres"
      let p = try named.numbers(id, what) ?? []
      guard p.count == 3, Vector3(p[0], p[1], p[2]).norm < 1000 else {
        throw named.fault(id, found: "antenna '\(id)': \(p)", expected: what)
      }
      antennas[id] = Vector3(p[0], p[1], p[2])
    }
    guard !antennas.isEmpty else { throw file.fault("antennas", found: "no antennas", expected: "\"id\": [x, y, z]") }
    let bias = try rangeBias(file, antennas: antennas.keys.sorted(), warnings: &warnings)
    return RadioCalibration(
      antennas: antennas, rangeNoise: rangeNoise, rate: rate, rangeBias: bias, rangeFilter: filter, mobility: mobility)
  }

  private static let biases = -1000.0...1000

  /// `range_bias` and `range_bias_std` of `uwb0/sensor.yaml`.
  ///
  /// - Parameter antennas: the named antennas; nil where there is one without a name.
  private static func rangeBias(
    _ file: CalibrationFile, antennas: [String]?, warnings: inout [String]
  ) throws(DatasetError) -> RangeBias {
    let key = "range_bias"
    var bias = RangeBias()
    bias.standardDeviation = try file.number("range_bias_std", "metres from 0.001 to 100", in: 1e-3...100)
    guard file.hasSection(key) else {
      let what = "metres, or {peers: {id: metres}, antennas: {id: metres}}"
      bias.common = try file.number(key, what, in: biases) ?? 0
      return bias
    }
    guard let parts = try file.section(key) else { return bias }
    warnings += try parts.check(known: ["peers", "antennas"])
    bias.peers = try numbers(parts, "peers")
    bias.antennas = try numbers(parts, "antennas")
    if let unknown = bias.antennas.keys.sorted().first(where: { antennas?.contains($0) == false }) {
      throw parts.fault(
        "antennas", found: "a bias of antenna '\(unknown)'", expected: "one of the antennas above: \(antennas ?? [])")
    }
    return bias
  }

  /// `range_filter` of `uwb0/sensor.yaml`: one of `{mean_of: n}`, `{exponential: a}`, `{lag: s}`.
  private static func rangeFilter(_ file: CalibrationFile) throws(DatasetError) -> RangeFilter? {
    let (key, what) = ("range_filter", "one of {mean_of: values}, {exponential: weight of the newest}, {lag: seconds}")
    guard file.hasSection(key) else {
      guard try file.text(key) == nil else { throw file.fault(key, found: "\(key) without a kind", expected: what) }
      return nil
    }
    guard let parts = try file.section(key) else { return nil }
    let unknown = parts.keys.filter { !["mean_of", "exponential", "lag"].contains($0) }
    guard parts.keys.count == 1, unknown.isEmpty else {
      throw file.fault(key, found: "\(key): \(parts.keys.sorted().joined(separator: ", "))", expected: what)
    }
    if let count = try parts.number("mean_of", "a whole number of values from 1 to 1000", in: 1...1000) {
      guard count == count.rounded() else {
        throw parts.fault("mean_of", found: "mean_of: \(count)", expected: "a whole number of values from 1 to 1000")
      }
      return .mean(count: Int(count))
    }
    if let weight = try parts.number("exponential", "a weight from 0.001 to 1", in: 1e-3...1) {
      return .exponential(weight: weight)
    }
    return try parts.number("lag", "seconds from 0 to 10", in: 0...10).map { .lag(seconds: $0) }
  }

  /// `mobility` of `uwb0/sensor.yaml`: `{peers: {id: item | person}}`.
  private static func mobility(
    _ file: CalibrationFile, warnings: inout [String]
  ) throws(DatasetError) -> [String: Mobility] {
    let (key, what) = ("mobility", "{peers: {id: item | person}}")
    guard file.hasSection(key) else {
      guard try file.text(key) == nil else { throw file.fault(key, found: "\(key) without peers", expected: what) }
      return [:]
    }
    guard let parts = try file.section(key) else { return [:] }
    warnings += try parts.check(known: ["peers"])
    guard let peers = try parts.section("peers") else { return [:] }
    var found: [String: Mobility] = [:]
    for id in peers.keys {
      let text = try peers.text(id)
      guard let mobility = text.flatMap(Mobility.init(rawValue:)) else {
        throw peers.fault(id, found: "mobility of peer '\(id)': \(text ?? "nothing")", expected: "item or person")
      }
      found[id] = mobility
    }
    return found
  }

  private static func numbers(_ file: CalibrationFile, _ key: String) throws(DatasetError) -> [String: Double] {
    guard let named = try file.section(key) else { return [:] }
    var values: [String: Double] = [:]
    for id in named.keys { values[id] = try named.neededNumber(id, "metres", in: biases) }
    return values
  }

  /// `odometry0/sensor.yaml`.
  static func odometry(_ file: CalibrationFile, warnings: inout [String]) throws(DatasetError) -> OdometryCalibration {
    warnings += try file.check(known: common + ["position_random_walk", "yaw_random_walk"])
    _ = try rate(file)
    return OdometryCalibration(
      bodyFromSensor: try pose(file, &warnings),
      positionRandomWalk: try file.number("position_random_walk", "m/sqrt(m), 0 or more", in: notNegative) ?? 0.03,
      yawRandomWalk: try file.number("yaw_random_walk", "rad/sqrt(s), 0 or more", in: notNegative) ?? 0.01)
  }

  private static func rate(_ file: CalibrationFile) throws(DatasetError) -> Double? {
    try file.number("rate_hz", "Hz above 0", in: positive)
  }

  private static func pose(_ file: CalibrationFile, _ warnings: inout [String]) throws(DatasetError) -> Pose {
    if let pose = try file.pose("T_BS") { return pose }
    warnings.append("\(file.path): no T_BS: the sensor is assumed at the body's origin, along its axes")
    return .identity
  }
}
