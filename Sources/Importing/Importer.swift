import Datasets
import Foundation
import Geometry
import JSONText
import SensorData

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
    var buffer = JSONWriter()
    buffer.pretty(report.document)
    return buffer.bytes + [UInt8(ascii: "\n")]
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
