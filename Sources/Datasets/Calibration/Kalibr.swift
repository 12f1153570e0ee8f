import Foundation
import Geometry
import SensorData

/// Kalibr's calibration files, as TUM-VI ships them, for folders without `sensor.yaml`.
///
/// Kalibr names its results after the bag: `walk-camchain-imucam.yaml`, `walk-imu.yaml`; older versions wrote
/// `camchain-imucam-walk.yaml`. Any other name does as well: what a file has decides.
package enum Kalibr {
  /// What a file is looked for as.
  private enum Content { case cameras, noise }

  /// The camera chains in the folder, in `mav0` or in `dso`, best first: one that says where the cameras are on the
  /// inertial unit before one that does not, then by name.
  package static func cameraChains(in root: String) -> [RecordingFile] { files(in: root, .cameras) }

  /// The camera chain's file, if there is one.
  package static func cameraChain(in root: String) -> RecordingFile? { cameraChains(in: root).first }

  /// The files with an inertial unit's noise, best first.
  package static func imuNoises(in root: String) -> [RecordingFile] { files(in: root, .noise) }

  /// The inertial unit's file, if there is one.
  package static func imuNoise(in root: String) -> RecordingFile? { imuNoises(in: root).first }

  private static func files(in root: String, _ content: Content) -> [RecordingFile] {
    for folder in ["", "mav0/", "dso/"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)"))?.sorted() ?? []
      var ranked: [(rank: Int, file: RecordingFile)] = []
      for name in names where isCalibration(name) {
        let path = "\(root)/\(folder)\(name)"
        guard let rank = rank(name, path, content) else { continue }
        ranked.append((rank, RecordingFile(path: path, relativePath: folder + name)))
      }
      // Stable: names are in order.
      let best = ranked.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      if !best.isEmpty { return best.map(\.element.file) }
    }
    return []
  }

  private static func isCalibration(_ name: String) -> Bool {
    let lower = name.lowercased()
    return (lower.hasSuffix(".yaml") || lower.hasSuffix(".yml")) && lower != "dataset.yaml"
  }

  /// How well a file fits, 0 best; nil where it is something else. A file that cannot be read fits by its name, and last:
  /// who reads it says what is wrong.
  private static func rank(_ name: String, _ path: String, _ content: Content) -> Int? {
    guard let size = RegularFile.size(path), size < 1 << 20, let file = try? CalibrationFile(path: path) else {
      return isNamed(name, content) ? 9 : nil
    }
    switch content {
    case .cameras:
      guard let camera = try? file.section("cam0"),
        isNamed(name, content) || camera.keys.contains("intrinsics") && !camera.keys.contains("topic")
      else { return nil }
      let isPlaced = camera.keys.contains("T_cam_imu") || camera.keys.contains("T_imu_cam")
      return (isPlaced ? 0 : 2) + (name == "camchain.yaml" ? 0 : 1)
    case .noise:
      let section = (file.keys.contains("imu0") ? try? file.section("imu0") : nil) ?? file
      // A map of an import has a sensor of that name too.
      let isMap = section.keys.contains("file") || section.keys.contains("topic")
      let isNoise = section.keys.contains { $0.contains("noise_density") } && !isMap
      guard isNoise || isNamed(name, content) && !isMap && !file.keys.contains("cam0") else { return nil }
      return (isNoise ? 0 : 4) + (name == "imu_config.yaml" ? 0 : 1)
    }
  }

  private static func isNamed(_ name: String, _ content: Content) -> Bool {
    let lower = name.lowercased()
    switch content {
    case .cameras: return lower.contains("camchain") || lower.contains("imucam_chain") || lower.hasPrefix("calib")
    case .noise: return lower.contains("imu") && !lower.contains("cam")
    }
  }

  /// The cameras of a chain: `cam0`, `cam1`, ..., by their numbers.
  package static func cameras(_ file: RecordingFile) throws(DatasetError) -> [Int] {
    try CalibrationFile(path: file.path).keys.compactMap { $0.hasPrefix("cam") ? Int($0.dropFirst(3)) : nil }.sorted()
  }

  /// The topic of a camera's images, where the chain names it.
  package static func topic(_ file: RecordingFile, camera number: Int) -> String? {
    try? CalibrationFile(path: file.path).section("cam\(number)")?.text("rostopic")
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
      expected: "T_cam_imu (Kalibr: camera from IMU) or T_imu_cam (OpenVINS: its inverse): 4 rows of 4 numbers; "
        + "kalibr_calibrate_imu_camera adds it to the chain of kalibr_calibrate_cameras")
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
