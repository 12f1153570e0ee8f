import Foundation
import SensorData

/// Writes a recording as a dataset folder: EuRoC's layout plus the folders that UWB needs.
///
/// Same contents, same bytes. Only the writer's own file names are touched: each is replaced atomically, and one
/// without data in the new recording is removed, so that two recordings never mix.
package struct DatasetWriter {
  /// Every file name that a writer may write or remove, for `cameras` cameras.
  static func ownFiles(cameras: Int) -> [String] {
    let sensors = ["imu0", "uwb0", "odometry0"] + (0..<max(2, cameras)).map { "cam\($0)" }
    let calibrations = sensors.map { "mav0/\($0)/sensor.yaml" }
    let data = ["imu0", "uwb0", "odometry0", "events0", "state_groundtruth_estimate0", "peers_groundtruth0"]
    let tables = data.map { "mav0/\($0)/data.csv" }
    let cameraTables = (0..<max(2, cameras)).flatMap { ["mav0/cam\($0)/features.csv", "mav0/cam\($0)/frames.csv"] }
    return ["dataset.yaml"] + calibrations + tables + cameraTables
  }

  private let folder: URL

  /// A writer into `folder`, which is created with its parents where it is absent.
  package init(folder: URL) { self.folder = folder }

  /// Writes the whole recording but for its images, which a `CameraImageWriter` adds; those of an earlier recording are
  /// removed.
  ///
  /// Until it is done the folder is marked, and not read as a recording.
  ///
  /// - Parameter adding: called at the end, for what is written beside it.
  /// - Throws: `DatasetWritingError` for a value that is not finite, before anything is written, and for a file that
  ///   cannot be written.
  package func write(
    _ contents: DatasetContents, adding: () throws(DatasetWritingError) -> Void = {}
  ) throws(DatasetWritingError) {
    let files = try Self.files(contents)
    let mark: UnfinishedMark
    do {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("mav0"), withIntermediateDirectories: true)
      mark = try UnfinishedMark(folder: folder.path)
    } catch {
      throw .file(folder.path, reason: (error as? OutputError)?.description ?? error.localizedDescription)
    }
    do {
      for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url, options: .atomic)
      }
      for name in Self.ownFiles(cameras: contents.rig.cameras.count) where files[name] == nil {
        let url = folder.appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      }
      for camera in 0..<max(2, contents.rig.cameras.count) {
        try CameraImageWriter.remove(folder: folder, camera: camera)
      }
    } catch {
      throw .file(folder.path, reason: error.localizedDescription)
    }
    try adding()
    do { try mark.remove() } catch { throw .file(folder.path, reason: error.description) }
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
