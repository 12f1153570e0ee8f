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
