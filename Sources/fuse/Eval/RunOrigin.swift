import Datasets
import Foundation
import SensorData

/// The recording that a run was made from, with its ground truth.
///
/// Searched at the user's path, then at the run's own (`timing.json`), then by name: `x` beside or above `x-fuse`, and
/// the folder that contains the run. A recording with another ground truth than that of the run is refused.
struct RunOrigin {
  /// Its folder.
  let path: String
  /// The recording.
  let recording: Recording
  /// Its ground truth.
  let truth: TruthReading

  /// Finds it; nil where there is none. A folder named by the user must be a recording.
  ///
  /// - Throws: `DatasetError` and `CommandError`.
  init?(of run: RunFolder, named: String?) throws {
    guard let path = named ?? Self.candidates(run).first(where: Self.isRecording) else { return nil }
    self.path = path
    let options = ReadingOptions(needsTrajectory: false)
    recording = try Recording.open(URL(fileURLWithPath: path), options: options)
    truth = try TruthReading(recording)
    guard case .object(let hashes)? = run.result?["groundTruth"] else { return }
    let present = try InputDigest(recording).groundTruth
    for hash in hashes where !present.contains(where: { $0.path == hash.key && $0.sha256 == hash.value.text }) {
      throw CommandError(
        "\(run.path): made from another recording than \(path): its \(hash.key) differs, expected the same bytes; "
          + "name the right one with --truth")
    }
  }

  private static func candidates(_ run: RunFolder) -> [String] {
    let folder = URL(fileURLWithPath: run.path).standardizedFileURL
    let parent = folder.deletingLastPathComponent()
    var found = [run.recordingPath].compactMap { $0 }
    if folder.lastPathComponent.hasSuffix("-fuse") {
      let name = String(folder.lastPathComponent.dropLast(5))
      found += [
        parent.appendingPathComponent(name).path, parent.deletingLastPathComponent().appendingPathComponent(name).path,
      ]
    }
    return found + [parent.path]
  }

  private static func isRecording(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path + "/mav0", isDirectory: &isFolder) && isFolder.boolValue
  }
}
