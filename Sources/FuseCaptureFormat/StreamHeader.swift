import Geometry
import JSONText
import SensorData

/// The first line of a stream: which sensors the device has, where they are, and what gives the trajectory.
public struct StreamHeader: Equatable, Sendable {
  /// What gives the trajectory.
  public enum Trajectory: String, Equatable, Sendable, CaseIterable {
    /// IMU and camera.
    case visualInertial
    /// Poses of another tracker.
    case odometry
  }

  /// The version of the lines; another is an error.
  public static let version = 1

  /// What gives the trajectory.
  public var trajectory: Trajectory
  /// The device: only what exists.
  public var rig: RigCalibration

  /// A header from its parts.
  public init(trajectory: Trajectory, rig: RigCalibration) {
    self.trajectory = trajectory
    self.rig = rig
  }
}

extension StreamHeader {
  /// Appends the line, with its line break. The keys are those of `sensor.yaml`; it reads back as the same header.
  func write(to text: inout JSONWriter) {
    text.raw("{\"version\":")
    text.integer(Int64(Self.version))
    text.raw(",\"trajectory\":")
    text.string(trajectory.rawValue)
    text.raw(",\"rig\":{")
    if let imu = rig.imu {
      text.raw("\"imu0\":{")
      Self.pose(imu.bodyFromIMU, to: &text)
      Self.optional(imu.rate, ",\"rate_hz\":", to: &text)
      text.raw(",\"gyroscope_noise_density\":")
      text.number(imu.gyroscopeNoiseDensity)
      text.raw(",\"gyroscope_random_walk\":")
      text.number(imu.gyroscopeRandomWalk)
      text.raw(",\"accelerometer_noise_density\":")
      text.number(imu.accelerometerNoiseDensity)
      text.raw(",\"accelerometer_random_walk\":")
      text.number(imu.accelerometerRandomWalk)
      text.raw(",\"gravity_magnitude\":")
      text.number(imu.gravityMagnitude)
      text.raw("},")
    }
    for (number, camera) in rig.cameras.enumerated() { Self.write(camera, number, to: &text) }
    if let radio = rig.radio { Self.write(radio, to: &text) }
    if let odometry = rig.odometry {
      text.raw("\"odometry0\":{")
      Self.pose(odometry.bodyFromSensor, to: &text)
      text.raw(",\"position_random_walk\":")
      text.number(odometry.positionRandomWalk)
      text.raw(",\"yaw_random_walk\":")
      text.number(odometry.yawRandomWalk)
      text.raw("},")
    }
    text.raw("\"dataset\":{\"device_T_BS\":")
    text.numbers(rig.bodyFromDevice.rigidTransform)
    if !rig.bodyFromDevice.isReadableFromRigidTransform {
      Self.exact(rig.bodyFromDevice, ",\"device_q_BS\":", to: &text)
    }
    text.raw("}}}\n")
  }

  private static func write(_ camera: CameraCalibration, _ number: Int, to text: inout JSONWriter) {
    text.raw(number == 0 ? "\"cam0\":{" : "\"cam1\":{")
    pose(camera.bodyFromCamera, to: &text)
    optional(camera.rate, ",\"rate_hz\":", to: &text)
    text.raw(",\"resolution\":[")
    text.integer(Int64(camera.width))
    text.raw(",")
    text.integer(Int64(camera.height))
    text.raw("],\"camera_model\":")
    let lens = camera.lensKeys
    text.string(lens.projection)
    text.raw(",\"intrinsics\":")
    text.numbers(lens.intrinsics)
    text.raw(",\"distortion_model\":")
    text.string(lens.distortion)
    if !lens.coefficients.isEmpty {
      text.raw(",\"distortion_coefficients\":")
      text.numbers(lens.coefficients)
    }
    text.raw(",\"pixel_noise_sigma\":")
    text.number(camera.pixelNoise)
    text.raw(",\"time_offset_cam_to_imu_s\":")
    text.number(camera.timeOffset)
    if camera.rowTime != 0 {
      text.raw(",\"row_time_s\":")
      text.number(camera.rowTime)
      text.raw(",\"stamped_row\":")
      text.number(camera.stampedRow)
    }
    if number > 0 {
      text.raw(",\"feature_ids\":")
      text.string(camera.featureIDs.rawValue)
    }
    text.raw("},")
  }

  private static func write(_ radio: RadioCalibration, to text: inout JSONWriter) {
    text.raw("\"uwb0\":{")
    if radio.antennas.count == 1, let position = radio.antennas[""] {
      pose(Pose(translation: position), to: &text)
    } else {
      text.raw("\"antennas\":{")
      for (index, (id, p)) in radio.antennas.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text.raw(",") }
        text.string(id)
        text.raw(":")
        text.numbers([p.x, p.y, p.z])
      }
      text.raw("}")
    }
    optional(radio.rate, ",\"rate_hz\":", to: &text)
    optional(radio.rangeNoise, ",\"range_noise_std\":", to: &text)
    // The stated bias is off the ranges already.
    optional(radio.rangeBias.standardDeviation, ",\"range_bias_std\":", to: &text)
    if let filter = radio.rangeFilter {
      text.raw(",\"range_filter\":{")
      switch filter {
      case .mean(let count): optional(Double(count), "\"mean_of\":", to: &text)
      case .exponential(let weight): optional(weight, "\"exponential\":", to: &text)
      case .lag(let seconds): optional(seconds, "\"lag\":", to: &text)
      }
      text.raw("}")
    }
    if !radio.mobility.isEmpty {
      text.raw(",\"mobility\":{\"peers\":{")
      for (index, (id, mobility)) in radio.mobility.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text.raw(",") }
        text.string(id)
        text.raw(":")
        text.string(mobility.rawValue)
      }
      text.raw("}}")
    }
    text.raw("},")
  }

  private static func pose(_ pose: Pose, to text: inout JSONWriter) {
    text.raw("\"T_BS\":")
    text.numbers(pose.rigidTransform)
    if !pose.isReadableFromRigidTransform { exact(pose, ",\"q_BS\":", to: &text) }
  }

  /// The rotation to the last bit, where the matrix reads back one unit in the last place off.
  private static func exact(_ pose: Pose, _ key: StaticString, to text: inout JSONWriter) {
    let q = pose.rotation.readableQuaternion
    text.raw(key)
    text.numbers([q.w, q.x, q.y, q.z])
  }

  private static func optional(_ value: Double?, _ key: StaticString, to text: inout JSONWriter) {
    guard let value else { return }
    text.raw(key)
    text.number(value)
  }
}

extension CameraCalibration {
  /// The lens by the values of the keys `camera_model`, `intrinsics`, `distortion_model` and `distortion_coefficients`:
  /// what a camera that is no pinhole has before the focal lengths comes in Kalibr's order.
  package var lensKeys: (projection: String, intrinsics: [Double], distortion: String, coefficients: [Double]) {
    let (projection, parameters, model, coefficients): (String, [Double], String, [Double]) =
      switch distortion {
      case .none: ("pinhole", [], "none", [])
      case .radialTangential(let k1, let k2, let p1, let p2): ("pinhole", [], "radial-tangential", [k1, k2, p1, p2])
      case .equidistant(let k1, let k2, let k3, let k4): ("pinhole", [], "equidistant", [k1, k2, k3, k4])
      case .fieldOfView(let w): ("pinhole", [], "fov", [w])
      case .rational(let k1, let k2, let p1, let p2, let k3, let k4, let k5, let k6):
        ("pinhole", [], "rational", [k1, k2, p1, p2, k3, k4, k5, k6])
      case .omni(let xi, let k1, let k2, let p1, let p2): ("omni", [xi], "radial-tangential", [k1, k2, p1, p2])
      case .doubleSphere(let xi, let alpha): ("ds", [xi, alpha], "none", [])
      case .extendedUnified(let alpha, let beta): ("eucm", [alpha, beta], "none", [])
      }
    return (projection, parameters + [fx, fy, cx, cy], model, coefficients)
  }
}
