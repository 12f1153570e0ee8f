import Foundation
import Geometry
import SensorData

/// Kalibr's calibration files, as TUM-VI ships them, for folders without `sensor.yaml`.
package enum Kalibr {
  /// Finds a calibration in the folder, in `mav0` or in `dso`: the exact name first, then the first in alphabetical
  /// order.
  package static func find(_ root: String, exact: String, prefixes: [String]) -> RecordingFile? {
    for folder in ["", "mav0/", "dso/"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)"))?.sorted() ?? []
      let candidates = names.filter { name in
        name == exact || prefixes.contains { name.hasPrefix($0) && (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) }
      }
      if let name = candidates.first(where: { $0 == exact }) ?? candidates.first {
        return RecordingFile(path: "\(root)/\(folder)\(name)", relativePath: "\(folder)\(name)")
      }
    }
    return nil
  }

  /// The camera chain's file, if there is one.
  package static func cameraChain(in root: String) -> RecordingFile? {
    find(root, exact: "camchain.yaml", prefixes: ["camchain", "calib"])
  }

  /// The inertial unit's file, if there is one.
  package static func imuNoise(in root: String) -> RecordingFile? {
    find(root, exact: "imu_config.yaml", prefixes: ["imu"])
  }

  /// One camera of a chain. Kalibr's `T_cam_imu` transforms from IMU to camera axes, OpenVINS's `T_imu_cam` back; a
  /// camera with `T_cn_cnm1` alone goes by the one before it.
  package static func camera(
    _ file: RecordingFile, number: Int, bodyFromIMU: Pose
  ) throws(DatasetError) -> CameraCalibration {
    let chain = try CalibrationFile(path: file.path)
    let name = "cam\(number)"
    guard let section = try chain.section(name) else {
      throw chain.fault(name, found: "no key \(name)", expected: "\(name) of a Kalibr camera chain")
    }
    var camera = try CameraLens.camera(section, coefficientsKey: "distortion_coeffs")
    camera.bodyFromCamera = bodyFromIMU * (try imuFromCamera(chain, number))
    camera.timeOffset = try section.number("timeshift_cam_imu", "seconds, less than 10", in: -10...10) ?? 0
    return camera
  }

  private static func imuFromCamera(_ chain: CalibrationFile, _ number: Int) throws(DatasetError) -> Pose {
    let name = "cam\(number)"
    let section = try chain.section(name)
    if let pose = try section?.pose("T_cam_imu") { return pose.inverse }
    if let pose = try section?.pose("T_imu_cam") { return pose }
    if number > 0, let fromPrevious = try section?.pose("T_cn_cnm1") {
      return try imuFromCamera(chain, number - 1) * fromPrevious.inverse
    }
    throw chain.fault(
      name, found: "no T_cam_imu below \(name)",
      expected: "T_cam_imu (Kalibr: camera from IMU) or T_imu_cam (OpenVINS: its inverse): 4 rows of 4 numbers")
  }

  /// The noise of the inertial unit, at the top of the file or below `imu0`.
  package static func imu(_ file: RecordingFile) throws(DatasetError) -> IMUCalibration {
    let top = try CalibrationFile(path: file.path)
    let section = top.keys.contains("imu0") ? try top.section("imu0") ?? top : top
    var calibration = try SensorCalibrations.noise(section)
    calibration.rate = try section.number("update_rate", "Hz above 0", in: 1e-6...1e6)
    return calibration
  }
}
