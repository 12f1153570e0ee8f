import Datasets
import Foundation

extension ImportKind {
  /// The kind that a source looks like, and why; nil where it is a dataset folder, or looks like none.
  package static func guess(_ source: String) -> (kind: ImportKind, reason: String)? {
    var path = source
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard RegularFile.exists(path) else { return nil }
    return RegularFile.isFolder(path) ? guess(folder: path) : guess(file: path)
  }

  /// The command that imports a source of a kind.
  package func command(_ source: String) -> String {
    switch self {
    case .ros: "\(PythonPackage.advice), then fuse-import \(source) -o <folder>"
    case .csv: "fuse import csv \(source) -o <folder> --map map.yaml"
    default: "fuse import \(rawValue) \(source) -o <folder>"
    }
  }

  private static func guess(folder: String) -> (kind: ImportKind, reason: String)? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
    func has(_ name: String) -> Bool { names.contains(name) }
    func any(_ test: (String) -> Bool) -> String? { names.first(where: test) }
    if has("mav0") { return nil }
    if let bag = any({ $0.hasSuffix(".db3") || $0.hasSuffix(".mcap") || $0.hasSuffix(".bag") }) {
      return (.ros, "it has \(bag)")
    }
    if has("uwb.csv"), has("calib.json") { return (.starloc, "it has uwb.csv and calib.json") }
    if has("data"), has("mocap"),
      let run = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/data"))?.sorted().first(where: {
        RegularFile.exists("\(folder)/data/\($0)/uwb.csv")
      })
    {
      return (.starloc, "it has data/\(run)/uwb.csv and mocap")
    }
    if has("uwb_range.csv") { return (.miluv, "it has uwb_range.csv") }
    if let robot = any({ RegularFile.exists("\(folder)/\($0)/uwb_range.csv") }) {
      return (.miluv, "it has \(robot)/uwb_range.csv")
    }
    if has("data.jsonl") { return (.spectacular, "it has data.jsonl") }
    if let phone = phone(names, isRecord3D: { isRecord3D("\(folder)/\($0)") }) { return phone }
    if has("kalibr_imucam_chain.yaml") || has("kalibr_imu_chain.yaml") || has("uwb_anchors.yaml") {
      return (.openvins, "it has the yaml files of an OpenVINS configuration")
    }
    if let chain = Kalibr.cameraChain(in: folder) { return (.kalibr, "it has the cameras of \(chain.relativePath)") }
    if let file = CalibrationImport.foreignFiles(in: folder).first {
      let name = URL(fileURLWithPath: file.path).lastPathComponent
      return (.calibration, "it has \(name), a calibration of \(file.format.rawValue)'s kind")
    }
    if PlazaImport.tables(in: folder).keys.contains("DR"), PlazaImport.tables(in: folder).keys.contains("TD") {
      return (.plaza, "it has the tables DR and TD")
    }
    if let table = any({ $0.lowercased().hasSuffix(".csv") }) { return (.csv, "it has \(table)") }
    return nil
  }

  /// The phone's app whose files have these names.
  private static func phone(
    _ names: [String], isRecord3D: (String) -> Bool
  ) -> (kind: ImportKind, reason: String)? {
    func has(_ name: String) -> Bool { names.contains(name) }
    if has("arkit.csv"), has("ni.csv") { return (.arkitNI, "it has arkit.csv and ni.csv") }
    if has("odometry.csv"), has("camera_matrix.csv") || has("rgb.mp4") || has("imu.csv") {
      return (.stray, "it has odometry.csv beside \(has("imu.csv") ? "imu.csv" : "its camera")")
    }
    if has("gyro_accel.csv") { return (.mars, "it has gyro_accel.csv") }
    if has("ARposes.txt") || has("Accel.txt") && has("Gyro.txt") {
      return (.iosLogger, "it has \(has("ARposes.txt") ? "ARposes.txt" : "Accel.txt and Gyro.txt")")
    }
    if let name = ["Gyroscope.csv", "GyroscopeUncalibrated.csv"].first(where: has) {
      return (.sensorLogger, "it has \(name)")
    }
    if let name = names.first(where: { $0.hasSuffix(".pb3") }) { return (.videoIMU, "it has \(name)") }
    if let name = ["metadata.json", "metadata"].first(where: { has($0) && isRecord3D($0) }) {
      return (.record3d, "it has \(name) with poses")
    }
    return nil
  }

  /// Whether a file is the description of a recording of Record3D.
  private static func isRecord3D(_ path: String) -> Bool {
    guard RegularFile.size(path) != nil, let bytes = try? RegularFile.bytes(path, limit: 64 << 20) else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("\"poses\"") && (text.contains("\"K\"") || text.contains("\"fps\""))
  }

  private static func guess(archive: String) -> (kind: ImportKind, reason: String)? {
    guard let names = try? ZipArchive(path: archive).entries.map(\.name) else { return nil }
    // What is in an archive is not read for a guess: Record3D's has its images in rgbd.
    return phone(
      names.filter { !$0.contains("/") },
      isRecord3D: { _ in
        names.contains { $0.hasPrefix("rgbd/") || $0.hasPrefix("rgb/") } || archive.lowercased().hasSuffix(".r3d")
      })
  }

  private static func guess(file: String) -> (kind: ImportKind, reason: String)? {
    let name = URL(fileURLWithPath: file).lastPathComponent.lowercased()
    for ending in [".bag", ".db3", ".mcap"] where name.hasSuffix(ending) { return (.ros, "its name ends in \(ending)") }
    if ZipArchive.isArchive(file) { return guess(archive: file) }
    if SensorLoggerJSON.isOne(file) { return (.sensorLogger, "a list of readings that name their sensor") }
    if name.hasSuffix(".jsonl") { return (.spectacular, "its name ends in .jsonl") }
    if [".yaml", ".yml", ".json", ".xml"].contains(where: name.hasSuffix) {
      if let format = ForeignCameraFormat(path: file) {
        return (.calibration, "a calibration of \(format.rawValue)'s kind")
      }
      guard let file = try? CalibrationFile(path: file) else { return nil }
      if let camera = try? file.section("cam0") {
        return camera.keys.contains("T_imu_cam")
          ? (.openvins, "cam0 has T_imu_cam") : (.kalibr, "it has cam0 of a camera chain")
      }
      let isNoise = file.keys.contains("gyroscope_noise_density") || file.hasSection("imu0")
      return isNoise ? (.kalibr, "it has the noise of an inertial unit") : nil
    }
    return name.hasSuffix(".csv") ? (.csv, "its name ends in .csv") : nil
  }
}
