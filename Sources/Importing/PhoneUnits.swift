import Datasets
import Geometry
import LeastSquares
import SensorData

/// Units, signs and axes of phones.
enum PhoneUnits {
  /// Standard gravity, m/s^2: what a phone's "g" is.
  static let gravity = 9.80665

  /// The camera of ARKit (x along the phone's long side to its lower end, y along its short side, z out of the screen)
  /// in device axes D (x right, y up, z out of the screen): ARKit's camera is in landscape.
  static let deviceFromARKitCamera = Rotation(
    matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)))

  /// The calibration of an inertial unit from a map, or a phone's where it says nothing.
  static func inertial(_ file: CalibrationFile?, _ report: inout ImportReport) throws(DatasetError) -> IMUCalibration {
    var imu = IMUCalibration(
      gyroscopeNoiseDensity: 0.001, gyroscopeRandomWalk: 0.00005, accelerometerNoiseDensity: 0.01,
      accelerometerRandomWalk: 0.0005)
    var isStated = false
    if let file {
      imu.bodyFromIMU = try file.pose("T_BS") ?? .identity
      imu.gravityMagnitude = try file.number("gravity_magnitude", "m/s^2 above 0", in: 0.1...100) ?? 9.81
      for (key, path) in [
        ("gyroscope_noise_density", \IMUCalibration.gyroscopeNoiseDensity),
        ("gyroscope_random_walk", \.gyroscopeRandomWalk),
        ("accelerometer_noise_density", \.accelerometerNoiseDensity),
        ("accelerometer_random_walk", \.accelerometerRandomWalk),
      ] {
        guard let value = try file.number(key, "a noise density above 0", in: 1e-12...1e3) else { continue }
        imu[keyPath: path] = value
        isStated = true
      }
    }
    if !isStated { report.decide("the inertial unit's noise is not stated: that of a phone is assumed") }
    return imu
  }
}

/// The direction of "up" in the world of poses, and the turn that makes it z.
struct WorldUp {
  /// An axis.
  enum Axis: String { case y, z }

  let axis: Axis
  private let turn: Rotation

  init(_ axis: Axis) {
    self.axis = axis
    // 90 degrees about x: y becomes z.
    turn =
      axis == .z ? .identity : Rotation(matrix: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0)))
  }

  /// The pose in the world with z up.
  func turned(_ pose: Pose) -> Pose {
    axis == .z ? pose : Pose(rotation: turn * pose.rotation, translation: turn * pose.translation)
  }
}

extension PhoneUnits {
  /// The `accelerometer_sign` of a map: `apple` (at rest face up z < 0) or `up`; nil where it says none.
  static func sign(_ map: ImportMap?) throws(DatasetError) -> String? {
    guard let map, let sign = try map.file.text("accelerometer_sign") else { return nil }
    guard ["apple", "up"].contains(sign) else {
      throw map.file.fault(
        "accelerometer_sign", found: "accelerometer_sign: \(sign)", expected: "apple (at rest face up z < 0) or up")
    }
    return sign
  }

  /// What the accelerometer of a file is to be multiplied by, for m/s^2: by the median size of its first readings.
  static func forceScale(
    _ path: String, columns: [SourceTable.Column], names: [String]? = nil, first: Int, _ report: inout ImportReport
  ) throws(DatasetError) -> Double {
    let table = try SourceTable(path: path, columns: columns, names: names)
    var sizes: [Double] = []
    while sizes.count < 2000,
      let size = try table.next({ (t: SourceTable) throws(SourceFault) -> Double? in
        try t.vector(first).norm
      })
    { sizes.append(size) }
    let median = sizes.median ?? 0
    let isG = median < 4
    report.decide(
      "the accelerometer reads \(Figures.fixed(median, 2)) in the median: \(isG ? "g, times 9.80665" : "m/s^2")")
    return isG ? gravity : 1
  }
}
