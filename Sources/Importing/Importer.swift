import Datasets
import Foundation
import JSONText
import SensorData
import Wording

/// Reads one kind of source.
protocol SourceImporter {
  /// Optional columns of `uwb0/data.csv` that this kind has.
  var rangeColumns: [String] { get }
  /// Reads all of it into the target's writer.
  func read(into target: inout ImportTarget) throws
}

/// One import: source to dataset folder, checked.
package enum Importer {
  /// Options.
  package struct Options: Sendable {
    /// A declarative map; needed for `csv`, and for what another kind cannot know.
    package var map: String?
    /// Whether the folder is checked.
    package var checks: Bool
    /// The device's axes, before what the map or the kind says.
    package var device: DeviceAxes?
    /// Of a calibration of several cameras the one that the recording's cam0 is: cam1.
    package var camera: String?

    /// Options from their parts.
    package init(map: String? = nil, checks: Bool = true, device: DeviceAxes? = nil, camera: String? = nil) {
      (self.map, self.checks, self.device, self.camera) = (map, checks, device, camera)
    }
  }

  /// Imports `source` into `output`, checks the result, and writes `import.json` there.
  ///
  /// - Throws: `DatasetError` for a fault of the source, with file and line; `OutputError` for what cannot be written.
  package static func run(
    _ kind: ImportKind, source: String, output: String, options: Options = Options()
  ) throws -> ImportReport {
    let name = URL(fileURLWithPath: source).standardizedFileURL.lastPathComponent
    var report = ImportReport(kind: kind, source: name)
    guard RegularFile.exists(source) else {
      throw DatasetError(file: source, found: "no such file or folder", expected: kind.summary)
    }
    let map = try options.map.map { path throws(DatasetError) in try ImportMap(path: path) }
    let folder = try StagedFolder(
      path: output, inputs: SourceFiles.list(source, output: output) + (options.map.map { [$0] } ?? []))
    do {
      if kind.isCalibration {
        let before = try written(in: output)
        report = try CalibrationImport(
          source: source, kind: kind, map: map, camera: options.camera, report: report
        ).run(into: folder)
        // A calibration goes beside data: how these came stays told.
        let isChain = before?["kind"]?.text.flatMap(ImportKind.init(rawValue:))?.isCalibration == true
        report.before = isChain ? before?["before"] : before
        try folder.carryOver { $0 == "import.json" }
      } else {
        let cameras = try OlderCameras(in: output, kind: kind, source: name)
        let archive = kind == .ros ? nil : try SourceArchive(source, in: folder)
        do {
          let target = try read(
            importer(kind, archive?.folder ?? source, map), options.device, named: name, into: folder, report)
          report = target.report
        } catch let error as DatasetError {
          throw archive?.naming(error) ?? error
        }
        archive?.remove()
        cameras.decide(&report)
        try folder.carryOver { DatasetNames.isDescription($0) || DatasetNames.isTable($0) || $0.hasPrefix("video/") }
      }
      if options.checks {
        try ImportCheck.run(folder: folder.staging, report: &report)
      } else {
        report.next = "fuse import --check <folder>"
      }
      try folder.write(text(report), to: "import.json")
      try folder.commit()
    } catch let error as DatasetError {
      throw error.naming(folder.path, insteadOf: folder.staging)
    }
    return report
  }

  /// Reads a source into tables and calibrations.
  private static func read(
    _ importer: any SourceImporter, _ device: DeviceAxes?, named name: String, into folder: StagedFolder,
    _ report: ImportReport
  ) throws -> ImportTarget {
    let writer = DatasetStreamWriter(folder: folder, rangeColumns: importer.rangeColumns)
    var target = ImportTarget(writer: writer, report: report, folder: folder)
    target.title = "\(name), imported from \(report.kind.rawValue)"
    try importer.read(into: &target)
    if let device {
      target.device = device.bodyFromDevice
      target.report.decide("the device, as asked for: \(device.words)")
    }
    guard !writer.counts.isEmpty else {
      throw DatasetError(file: name, found: "no rows to import", expected: report.kind.summary)
    }
    try writer.finish(target.description)
    for (stream, counts) in writer.counts {
      target.report.count("\(stream.rawValue) rows", counts.written)
      target.report.count("\(stream.rawValue) rows left out, time going back", counts.goingBack)
      target.report.count("\(stream.rawValue) rows left out, stamp repeated", counts.repeated)
    }
    ImportCompleteness.judge(writer.counts, &target.report)
    return target
  }

  /// Checks a dataset folder, however it was made, and writes what it found into its `import.json`: decisions and
  /// counts of an import that is described there stay.
  package static func check(_ folder: String) throws -> ImportReport {
    let before = try written(in: folder)
    let kind = before?["kind"]?.text.flatMap(ImportKind.init(rawValue:)) ?? .csv
    let name = URL(fileURLWithPath: folder).standardizedFileURL.lastPathComponent
    var report = ImportReport(kind: kind, source: before?["source"]?.text ?? name)
    if case .array(let sentences)? = before?["decisions"] { report.decisions = sentences.compactMap(\.text) }
    if case .object(let counts)? = before?["counts"] {
      for member in counts { report.counts[member.key] = member.value.double.map { Int($0) } }
    }
    (report.before, report.topics) = (before?["before"], before?["topics"])
    try ImportCheck.run(folder: folder, report: &report)
    let file = try AtomicFile(folder: folder, name: "import.json")
    try file.write(text(report))
    try file.commit()
    return report
  }

  /// The `import.json` that is there.
  static func written(in folder: String) throws -> JSONValue? {
    RegularFile.exists("\(folder)/import.json") ? try JSONValue(contentsOf: "\(folder)/import.json") : nil
  }

  /// The text of `import.json`.
  private static func text(_ report: ImportReport) -> [UInt8] {
    return report.document.prettyBytes + [UInt8(ascii: "\n")]
  }

  private static func importer(
    _ kind: ImportKind, _ source: String, _ map: ImportMap?
  ) throws(DatasetError) -> any SourceImporter {
    switch kind {
    case .starloc: try StarlocImport(source: source)
    case .miluv: try MILUVImport(source: source, map: map)
    case .spectacular: try SpectacularImport(source: source)
    case .arkitNI: try ARKitNIImport(source: source)
    case .stray: try StrayImport(source: source)
    case .sensorLogger: try SensorLoggerImport(source: source, map: map)
    case .record3d: try Record3DImport(source: source)
    case .mars: try MarsImport(source: source, map: map)
    case .videoIMU: try VideoIMUImport(source: source)
    case .iosLogger: try IOSLoggerImport(source: source)
    case .plaza: try PlazaImport(source: source)
    case .csv: try CSVImport(source: source, map: map)
    case .kalibr, .openvins, .calibration, .ros:
      throw DatasetError(
        file: source, found: "a \(kind.rawValue) source",
        expected: "the Python package: \(PythonPackage.advice), then fuse-import \(source) -o <folder>")
    }
  }
}

/// The files of a source: all that are missing are named at once.
struct SourceFolder {
  let path: String

  /// - Throws: one error that names every missing file.
  init(_ path: String, needed: [String], kind: ImportKind) throws(DatasetError) {
    var folder = path
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.path = folder
    guard RegularFile.isFolder(folder) else {
      throw DatasetError(file: folder, found: "no folder", expected: kind.summary)
    }
    let missing = needed.filter { !RegularFile.exists("\(folder)/\($0)") }
    guard missing.isEmpty else {
      throw DatasetError(file: folder, found: "no \(missing.joined(separator: ", no "))", expected: kind.summary)
    }
  }

  /// The path of the first file, by name, that ends so.
  func first(ending: String) -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
    return names.first { $0.hasSuffix(ending) }.map { "\(path)/\($0)" }
  }

  /// The path of a file, if it is there; the first of several names.
  func file(_ names: String...) -> String? {
    names.map { "\(path)/\($0)" }.first { RegularFile.exists($0) }
  }
}

/// A kind of foreign recording or calibration.
package enum ImportKind: String, CaseIterable, Sendable {
  case kalibr, openvins, calibration, starloc, miluv, spectacular
  case arkitNI = "arkit-ni"
  case stray
  case sensorLogger = "sensor-logger"
  case record3d, mars
  case videoIMU = "video-imu-capture"
  case iosLogger = "ios-logger"
  case plaza, csv, ros

  /// Whether it brings calibrations, and no data.
  package var isCalibration: Bool { [.kalibr, .openvins, .calibration].contains(self) }

  /// What the source is, one line.
  package var summary: String {
    switch self {
    case .kalibr: "Kalibr's <bag>-camchain-imucam.yaml, <bag>-imu.yaml: calibrations into a folder that has the data"
    case .openvins: "an OpenVINS or UVIO configuration: calibrations and anchors into a folder that has the data"
    case .calibration:
      "a camera's calibration of OpenCV, ROS, camodocal, VINS or Basalt: into a folder that has the data"
    case .starloc: "STAR-loc: a run's folder (uwb.csv, imu.csv, calib.json), or the data set's with one run"
    case .miluv: "MILUV: an experiment's folder or a robot's (ifo001/uwb_range.csv, imu_px4.csv, mocap.csv)"
    case .spectacular: "Spectacular AI or HybVIO: data.jsonl with calibration.json"
    case .arkitNI: "a phone's ARKit poses and Nearby Interaction rows: arkit.csv, ni.csv, optional motion.csv"
    case .stray: "Stray Scanner: odometry.csv, imu.csv, camera_matrix.csv, optional ranges.csv"
    case .sensorLogger:
      "Sensor Logger: its zip, its JSON or its folder (Accelerometer.csv, Gyroscope.csv, ...), optional ranges.csv, poses.csv"
    case .record3d: "Record3D: an .r3d file, or the folder with metadata.json, optional ranges.csv"
    case .mars: "MARS logger: gyro_accel.csv, movie_metadata.csv, frame_timestamps.txt, optional ranges.csv"
    case .videoIMU: "VideoIMUCapture: video_meta.pb3 beside the video, optional ranges.csv"
    case .iosLogger: "ios_logger: ARposes.txt, Accel.txt, Gyro.txt, Frames.txt, optional ranges.csv"
    case .plaza: "Plaza: tables DR (odometry) and TD (ranges), optional GT and TL"
    case .csv: "any CSV files, described by --map map.yaml"
    case .ros: "ROS 1 bag, ROS 2 db3, MCAP: by fuse-import of the Python package"
    }
  }
}

/// A declarative map from foreign files to sensors: the same keys for CSV files here and for topics in the Python
/// package.
struct ImportMap {
  /// One sensor of the map.
  struct Section {
    let name: String
    let file: CalibrationFile

    /// A needed text.
    func text(_ key: String, _ what: String) throws(DatasetError) -> String {
      guard let text = try file.text(key) else {
        throw file.fault(key, found: "no key \(key) below \(name)", expected: "\(key): \(what)")
      }
      return text
    }

    /// One of the words, the first where the key is absent.
    func word(_ key: String, _ words: [String]) throws(DatasetError) -> String {
      guard let text = try file.text(key) else { return words[0] }
      guard words.contains(text) else {
        throw file.fault(key, found: "\(key): \(text)", expected: words.joined(separator: ", "))
      }
      return text
    }

    /// Names of columns.
    func names(_ key: String, _ count: Int, _ what: String) throws(DatasetError) -> [String] {
      guard let names = try file.texts(key), names.count == count else {
        throw file.fault(key, found: "no list of \(count) at \(key) of \(name)", expected: "\(key): \(what)")
      }
      return names
    }

    func check(_ known: [String]) throws(DatasetError) {
      for key in file.keys where !known.contains(key) {
        let meant = Spelling.intended(key, among: known).map { "'\($0)' (misspelt?)" } ?? known.joined(separator: ", ")
        throw file.fault(key, found: "key '\(key)' below \(name)", expected: meant)
      }
    }
  }

  /// Keys of a map.
  static let known = [
    "imu0", "odometry0", "truth", "uwb0", "peers", "cameras", "robot", "accelerometer_sign", "device_T_BS", "device",
    "cam0",
  ]

  let file: CalibrationFile

  init(path: String) throws(DatasetError) {
    file = try CalibrationFile(path: path)
    for key in file.keys where !Self.known.contains(key) {
      let meant = Spelling.intended(key, among: Self.known).map { "'\($0)' (misspelt?)" }
      throw file.fault(key, found: "key '\(key)'", expected: meant ?? Self.known.joined(separator: ", "))
    }
  }

  /// A sensor; nil where the map does not have it.
  func section(_ name: String) throws(DatasetError) -> Section? {
    try file.section(name).map { Section(name: name, file: $0) }
  }
}
