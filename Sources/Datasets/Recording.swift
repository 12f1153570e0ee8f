import Foundation
import Geometry
import Images
import SensorData

/// An opened dataset folder: rig and contents. Opening reads calibrations, headers and first rows only.
package struct Recording: Sendable {
  /// The folder's own name.
  package let name: String
  /// Its description.
  package let metadata: Metadata
  /// Calibration of the device.
  package let rig: RigCalibration
  /// Whether its description states the device's axes; where not, cam0 or the body gives them.
  package let statesDevice: Bool
  /// How it is read.
  package let options: ReadingOptions
  /// Where the trajectory comes from; nil only where none can be made and none was asked for.
  package let trajectorySource: TrajectorySource?
  /// First stamp over all its sensors.
  package let firstTimestamp: Timestamp
  /// Warnings, one line each, in a fixed order.
  package let warnings: [String]

  /// Absolute path of its folder.
  package var path: String { URL(fileURLWithPath: layout.root).standardizedFileURL.path }
  /// Whether cam0 gives the device's axes: it is there, and nothing states them.
  package var looksAlongCamera: Bool { !statesDevice && layout.hasCamera }

  let layout: RecordingLayout
  /// Calibration files in use, for the digest.
  let calibrationFiles: [RecordingFile]

  /// Opens a folder.
  ///
  /// - Throws: `DatasetError` for a fault in structure, calibration or header, an empty file, or a bad first row.
  package static func open(
    _ folder: URL, options: ReadingOptions = ReadingOptions()
  ) throws(DatasetError) -> Recording {
    // The path as given by the user, unless it is relative to another folder than the working directory.
    let isHere = folder.baseURL.map { $0.path == FileManager.default.currentDirectoryPath } ?? true
    var root = isHere ? folder.relativePath : folder.path
    while root.count > 1, root.hasSuffix("/") { root.removeLast() }
    if isHere, let shipped = ShippedRecording.folder(named: root) { root = shipped }
    if let problem = RegularFile.problem(ofFolder: root) {
      throw DatasetError(file: root, found: problem, expected: "a dataset folder")
    }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "\(root)/mav0") else {
      if RegularFile.exists("\(root)/mav0"), let problem = RegularFile.problem(ofFolder: "\(root)/mav0") {
        throw DatasetError(file: "\(root)/mav0", found: problem, expected: "a folder with a recording's sensors")
      }
      throw DatasetError(file: root, found: "no folder mav0 in it", expected: "a dataset folder (EuRoC layout)")
    }
    guard !UnfinishedMark.exists(in: root) else {
      throw DatasetError(
        file: root, found: "a folder that was not written to its end (\(UnfinishedMark.name))",
        expected: "a whole one: make it again")
    }
    var layout = try RecordingLayout(root: root, names: names, tracking: options.tracking)
    try layout.checkComplete()
    var loader = CalibrationLoader(layout: layout)
    let metadata = try loader.loadDescription()
    layout.imageStamps = loader.imageStamps
    let rig = try loader.loadRig()
    let probe = try StreamProbe(layout: layout, rig: rig, options: options)
    return Recording(
      name: folder.absoluteURL.standardizedFileURL.lastPathComponent, metadata: metadata, rig: rig,
      statesDevice: loader.statesDevice, options: options, trajectorySource: try probe.trajectorySource(),
      firstTimestamp: probe.first,
      warnings: layout.warnings + loader.warnings + probe.warnings + (try ImageDepth.warnings(layout, rig)),
      layout: layout, calibrationFiles: loader.files)
  }

  /// All sensor events, in order of arrival. Every call reads from the beginning.
  package func events() throws(DatasetError) -> EventReader { try EventReader(self) }

  /// Last stamp over all its sensors, from the ends of the files; the first stamp where those cannot be read.
  package func lastTimestamp() throws(DatasetError) -> Timestamp {
    var last = firstTimestamp
    let others = [layout.events] + layout.images.flatMap { [$0.mask, $0.exposures] }
    for file in dataFiles where !others.contains(file) {
      if let stamp = try FileEnd.lastTimestamp(file) { last = max(last, stamp) }
    }
    return last
  }

  /// Paths of the files that it is read from, calibrations included; images are not.
  package var inputPaths: [String] { (dataFiles + calibrationFiles).map(\.path) }

  /// The data files that affect the estimator's input, sorted by path.
  package var dataFiles: [RecordingFile] {
    let tracks: [RecordingFile?] = layout.cameras.flatMap { [$0.features, $0.frames] }
    let images: [RecordingFile?] = layout.images.flatMap { [$0.list, $0.mask, $0.exposures] }
    let others = [layout.imu, layout.radio, readsOdometry ? layout.odometry : nil, layout.events]
    let used = others + tracks + images
    return used.compactMap { $0 }.sorted { $0.relativePath < $1.relativePath }
  }

  /// Cameras whose images are tracked while reading.
  package var trackedCameras: Int { layout.images.count }

  /// The images of a camera, in order, also where its tracks are in a file: for drawing, not for runs. Nil without any.
  package func images(camera: Int) throws(DatasetError) -> ImageLookup? {
    guard rig.cameras.indices.contains(camera), let images = layout.images(ofCamera: camera) else { return nil }
    return ImageLookup(
      try ImageList(images, stamps: layout.imageStamps, isStrict: false), rig.cameras[camera])
  }

  /// Whether any camera has tracks in a file, which `fuse track` would replace.
  package var hasTracks: Bool {
    (0...1).contains { layout.file("mav0/cam\($0)/features.csv") != nil }
  }

  /// Odometry that is not the trajectory's source is not read.
  var readsOdometry: Bool { trajectorySource != .imuAndCamera }

  /// The true trajectory, if the recording has one; from `vicon0` or `mocap0` where EuRoC's estimate is missing.
  /// For evaluation and for initialisation from the truth only: not read before this call.
  package func groundTruthStates() throws(DatasetError) -> GroundTruthReader<GroundTruthState>? {
    guard let file = layout.truthStates else { return nil }
    var bodyFromSensor = Pose.identity
    if let calibration = layout.truthCalibration {
      bodyFromSensor = try CalibrationFile(path: calibration.path).pose("T_BS") ?? .identity
    }
    let decoder = TruthStateDecoder(bodyFromSensor: bodyFromSensor)
    return GroundTruthReader(try RowStream(file, decoder, isStrict: options.strict))
  }

  /// The true positions of the peers, if the recording has them. Not read before this call.
  package func groundTruthPeers() throws(DatasetError) -> GroundTruthReader<GroundTruthPeer>? {
    guard let file = layout.truthPeers else { return nil }
    return GroundTruthReader(try RowStream(file, TruthPeerDecoder(), isStrict: options.strict))
  }

  /// Stamp and path of every image that a camera lists, also where its tracks are used; nil where it has no list. Stamps
  /// are as listed, of the middle of the exposure only where the list has it so.
  package func imageFiles(camera: Int) throws(DatasetError) -> [(time: Int64, path: String)]? {
    let folder = "mav0/cam\(camera)"
    guard let list = layout.file("\(folder)/data.csv"), let data = layout.file("\(folder)/data") else { return nil }
    let rows = try RowStream(list, ImageListDecoder(), isStrict: false)
    var found: [(time: Int64, path: String)] = []
    while let row = try rows.next() { found.append((row.time, "\(data.path)/\(row.name)")) }
    return found
  }
}

/// Reads a truth file row by row.
package final class GroundTruthReader<Row> {
  private let read: () throws(DatasetError) -> Row?
  private let account: () -> FileDamage

  init<Decoder: RowDecoder>(_ stream: RowStream<Decoder>) where Decoder.Row == Row {
    read = { () throws(DatasetError) -> Row? in try stream.next() }
    account = { stream.table.damage }
  }

  /// The next row; nil at the end.
  package func next() throws(DatasetError) -> Row? { try read() }

  /// Rows read and skipped so far.
  package var damage: FileDamage { account() }
}

extension Recording {
  /// The recording's description in `dataset.yaml`.
  package struct Metadata: Equatable, Sendable {
    /// Its title.
    package var title: String?
    /// Its source.
    package var source: String?
    /// Its licence.
    package var licence: String?
    /// Further notes.
    package var note: String?

    /// A description from its parts.
    package init(title: String? = nil, source: String? = nil, licence: String? = nil, note: String? = nil) {
      self.title = title
      self.source = source
      self.licence = licence
      self.note = note
    }
  }
}

/// Recordings that come with the executables, in the folder `recordings` beside them: `fuse run demo` needs no other.
package enum ShippedRecording {
  /// The folder of a recording of this name; nil where there is none, or `path` is more than a name or something here.
  package static func folder(named path: String) -> String? {
    guard !path.isEmpty, !path.contains("/"), !path.hasPrefix("."), !RegularFile.exists(path),
      let own = Bundle.main.executableURL?.resolvingSymlinksInPath()
    else { return nil }
    let folder = own.deletingLastPathComponent().appendingPathComponent("recordings/\(path)").path
    return RegularFile.isFolder("\(folder)/mav0") ? folder : nil
  }
}
