import FuseCaptureFormat
import Geometry
import SensorData

/// The YAML files of a recording: `dataset.yaml` and every sensor's calibration.
enum DatasetCalibrationText {
  /// The texts by their names in the folder. Numbers are the shortest that read back as the same Double.
  static func files(_ contents: DatasetContents) -> [String: String] {
    let rig = contents.rig
    var files = ["dataset.yaml": dataset(contents)]
    if let imu = rig.imu { files["mav0/imu0/sensor.yaml"] = inertial(imu) }
    for (index, camera) in rig.cameras.enumerated() {
      files["mav0/cam\(index)/sensor.yaml"] = self.camera(camera, isFirst: index == 0)
    }
    if let radio = rig.radio { files["mav0/uwb0/sensor.yaml"] = self.radio(radio) }
    if let odometry = rig.odometry { files["mav0/odometry0/sensor.yaml"] = self.odometry(odometry) }
    return files
  }

  private static func dataset(_ contents: DatasetContents) -> String {
    """
    title: \(quoted(contents.title))
    source: \(quoted(contents.source))
    licence: \(quoted(contents.licence))
    note: \(quoted(contents.note))
    \(contents.statesDevice ? "device_T_BS: \(list(contents.rig.bodyFromDevice.rigidTransform))\n" : "")
    """
  }

  private static func inertial(_ imu: IMUCalibration) -> String {
    """
    sensor_type: imu
    \(transform(imu.bodyFromIMU))\(rate(imu.rate))gyroscope_noise_density: \(imu.gyroscopeNoiseDensity)
    gyroscope_random_walk: \(imu.gyroscopeRandomWalk)
    accelerometer_noise_density: \(imu.accelerometerNoiseDensity)
    accelerometer_random_walk: \(imu.accelerometerRandomWalk)
    gravity_magnitude: \(imu.gravityMagnitude)

    """
  }

  /// A camera; without its place on the body where that is not known.
  static func camera(_ camera: CameraCalibration, isFirst: Bool, isPlaced: Bool = true) -> String {
    let lens = camera.lensKeys
    return """
      sensor_type: camera
      \(isPlaced ? transform(camera.bodyFromCamera) : "")\(rate(camera.rate))resolution: [\(camera.width), \(camera.height)]
      camera_model: \(lens.projection)
      intrinsics: \(list(lens.intrinsics))
      distortion_model: \(lens.distortion)
      distortion_coefficients: \(list(lens.coefficients))
      pixel_noise_sigma: \(camera.pixelNoise)
      time_offset_cam_to_imu_s: \(camera.timeOffset)
      \(shutter(camera))\(camera.imageBits == 16 ? "" : "image_bits: \(camera.imageBits)\n")\(isFirst ? "" : "feature_ids: \(camera.featureIDs.rawValue)\n")
      """
  }

  /// Of a rolling shutter; nothing for a global one.
  private static func shutter(_ camera: CameraCalibration) -> String {
    camera.rowTime == 0 ? "" : "row_time_s: \(camera.rowTime)\nstamped_row: \(camera.stampedRow)\n"
  }

  private static func radio(_ radio: RadioCalibration) -> String {
    var text = "sensor_type: uwb\n"
    if radio.antennas.count == 1, let position = radio.antennas[""] {
      text += transform(Pose(translation: position)) + rate(radio.rate)
    } else {
      text += transform(.identity) + rate(radio.rate) + "antennas:\n"
      for (id, position) in radio.antennas.sorted(by: { $0.key < $1.key }) {
        text += "  \(quoted(id)): \(list([position.x, position.y, position.z]))\n"
      }
    }
    return text + (radio.rangeNoise.map { "range_noise_std: \($0)\n" } ?? "")
      // The stated bias is off the ranges already.
      + (radio.rangeBias.standardDeviation.map { "range_bias_std: \($0)\n" } ?? "")
      + (radio.rangeFilter.map { "range_filter: {\(filter($0))}\n" } ?? "") + mobility(radio.mobility)
  }

  private static func mobility(_ mobility: [String: Mobility]) -> String {
    let peers = mobility.sorted { $0.key < $1.key }.map { "\(quoted($0.key)): \($0.value.rawValue)" }
    return peers.isEmpty ? "" : "mobility: {peers: {\(peers.joined(separator: ", "))}}\n"
  }

  private static func filter(_ filter: RangeFilter) -> String {
    switch filter {
    case .mean(let count): "mean_of: \(count)"
    case .exponential(let weight): "exponential: \(weight)"
    case .lag(let seconds): "lag: \(seconds)"
    }
  }

  private static func odometry(_ odometry: OdometryCalibration) -> String {
    """
    sensor_type: odometry
    \(transform(odometry.bodyFromSensor))position_random_walk: \(odometry.positionRandomWalk)
    yaw_random_walk: \(odometry.yawRandomWalk)

    """
  }

  private static func transform(_ pose: Pose) -> String {
    let e = pose.rigidTransform
    let rows = stride(from: 0, to: 16, by: 4).map { row in e[row..<row + 4].map { "\($0)" }.joined(separator: ", ") }
    return "T_BS:\n  cols: 4\n  rows: 4\n  data: [" + rows.joined(separator: ",\n         ") + "]\n"
  }

  private static func rate(_ rate: Double?) -> String { rate.map { "rate_hz: \($0)\n" } ?? "" }

  private static func list(_ values: [Double]) -> String {
    "[" + values.map { "\($0)" }.joined(separator: ", ") + "]"
  }

  /// A double-quoted YAML scalar.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\0"..<" ", "\u{7F}": result += "\\x" + hex(scalar.value >> 4) + hex(scalar.value & 15)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func hex(_ digit: UInt32) -> String { String(digit, radix: 16) }
}
