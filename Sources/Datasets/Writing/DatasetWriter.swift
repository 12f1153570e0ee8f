import Foundation
import SensorData

/// Writes a recording as a dataset folder: EuRoC's layout plus the folders that UWB needs.
///
/// Same contents, same bytes. The folder changes all at once (`StagedFolder`); files of an earlier recording that this
/// one does not have are gone, so that two recordings never mix, and everything else stays.
package struct DatasetWriter {
  private let folder: StagedFolder

  /// A writer into `folder`, which is created with its parents where it is absent.
  ///
  /// - Parameter inputs: files that the command reads: none of them is replaced.
  /// - Throws: `OutputError`.
  package init(folder: URL, inputs: [String] = []) throws(OutputError) {
    self.folder = try StagedFolder(path: folder.relativePath, inputs: inputs)
  }

  /// Writes the whole recording but for its images.
  ///
  /// - Parameter adding: called before the recording appears, for what belongs to it: images (`CameraImageWriter`).
  /// - Throws: `DatasetWritingError` for a value that is not finite, before anything is written; `OutputError` for a
  ///   file that cannot be written.
  package func write(_ contents: DatasetContents, adding: (StagedFolder) throws -> Void = { _ in }) throws {
    for (name, bytes) in try Self.files(contents).sorted(by: { $0.key < $1.key }) {
      try folder.write(bytes, to: name)
    }
    try adding(folder)
    try folder.carryOver(except: DatasetNames.isWritten)
    try folder.commit()
  }

  /// The files of a recording by their names in the folder.
  ///
  /// - Throws: `DatasetWritingError.unwritable` with file and line for a value that is not finite.
  package static func files(_ contents: DatasetContents) throws(DatasetWritingError) -> [String: [UInt8]] {
    var files = try DatasetTables(contents).files()
    for (name, text) in DatasetCalibrationText.files(contents) { files[name] = Array(text.utf8) }
    // A sensor that measured nothing, such as a radio out of reach, is not there.
    for sensor in ["imu0", "uwb0", "odometry0"] where files["mav0/\(sensor)/data.csv"] == nil {
      files["mav0/\(sensor)/sensor.yaml"] = nil
    }
    return files
  }
}

/// A whole recording in memory, ready to be written as a folder.
package struct DatasetContents: Sendable {
  /// Its title.
  package var title: String
  /// Its source.
  package var source: String
  /// Its licence.
  package var licence: String
  /// Further notes.
  package var note: String
  /// The device.
  package var rig: RigCalibration
  /// Sensor events, in time order.
  package var events: [TimedEvent]
  /// The true states of the body, in time order.
  package var truth: [GroundTruthState]
  /// True positions of the peers.
  package var peers: [GroundTruthPeer]
  /// Decimals of a feature's pixels in the file, 0...12.
  package var pixelDecimals: Int
  /// Whether the device's axes are known: where they are not, the folder does not state them, and cam0 or the body give
  /// them when it is read.
  package var statesDevice: Bool

  /// A recording from its parts.
  package init(
    title: String, source: String, licence: String, note: String, rig: RigCalibration, events: [TimedEvent],
    truth: [GroundTruthState], peers: [GroundTruthPeer], pixelDecimals: Int = 3, statesDevice: Bool = true
  ) {
    self.title = title
    self.source = source
    self.licence = licence
    self.note = note
    self.rig = rig
    self.events = events
    self.truth = truth
    self.peers = peers
    self.pixelDecimals = pixelDecimals
    self.statesDevice = statesDevice
  }
}

/// Names of the files of recordings, relative to their folder.
package enum DatasetNames {
  private static let sensors: Set<String> = [
    "imu0", "uwb0", "odometry0", "events0", "state_groundtruth_estimate0", "peers_groundtruth0",
  ]

  /// Whether a writer of recordings writes files of that name: of an earlier recording they go, as they would belong to
  /// none.
  package static func isWritten(_ name: String) -> Bool { isDescription(name) || isTable(name) || isOfCamera(name) }

  /// What tells of the recording as a whole: `dataset.yaml`, `import.json`, the mark of one that is not whole.
  package static func isDescription(_ name: String) -> Bool {
    name == "dataset.yaml" || name == "import.json" || UnfinishedMark.names.contains(name)
  }

  /// Table or calibration of a sensor that is no camera.
  package static func isTable(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return parts.count == 3 && parts[0] == "mav0" && sensors.contains(String(parts[1]))
      && (parts[2] == "data.csv" || parts[2] == "sensor.yaml")
  }

  /// Table, calibration or image of a camera.
  package static func isOfCamera(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    guard parts.count >= 3, parts[0] == "mav0", parts[1].hasPrefix("cam"), Int(parts[1].dropFirst(3)) != nil else {
      return false
    }
    if parts.count == 3 {
      return ["sensor.yaml", "features.csv", "frames.csv", "data.csv", "exposure.csv"].contains(String(parts[2]))
    }
    return parts.count == 4 && parts[2] == "data" && parts[3].hasSuffix(".png") && Int64(parts[3].dropLast(4)) != nil
  }

  /// Whether a file of that name, relative to a recording's or a run's folder, is read as part of it.
  static func isInput(_ name: String) -> Bool {
    RunFileNames.all.contains(name) || name == "import.json" || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
      || ["mav0/", "video/", "dso/"].contains { name.hasPrefix($0) }
  }
}

/// Why a dataset folder could not be written.
package enum DatasetWritingError: Error, Equatable, CustomStringConvertible {
  /// A value is not finite or too large for its column.
  case unwritable(file: String, line: Int, value: Double)
  /// The file or its folder cannot be written.
  case file(String, reason: String)

  /// `file:line: problem`
  package var description: String {
    switch self {
    case .unwritable(let file, let line, let value):
      "\(file):\(line): the value \(value) cannot be written, expected a finite number"
    case .file(let file, let reason): "\(file): cannot be written: \(reason)"
    }
  }
}

/// The files of a run, which may stand beside a recording.
package enum RunFileNames {
  package static let updates = "updates.jsonl"
  package static let trajectory = "trajectory.tum"
  package static let covariance = "trajectory_covariance.csv"
  package static let result = "result.json"
  package static let timing = "timing.json"
  /// The files that `result.json` names.
  package static let data = [updates, trajectory, covariance]
  /// The files, in the order in which they appear.
  package static let all = data + [timing, result]
}
