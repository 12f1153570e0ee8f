import Datasets
import Foundation
import SensorData

/// The recording that a run was made from: where its truth stands.
///
/// Looked for where the user says, then where the run says (`timing.json`), then by name: `x` beside or above `x-fuse`, and the
/// folder that the run lies in. A recording whose ground truth is not the one that the run was judged by is refused.
struct RunOrigin {
  /// Its folder.
  let path: String
  /// The recording.
  let recording: Recording
  /// Its truth.
  let truth: TruthReading

  /// Finds it; nil where there is none. A folder that the user named must be one.
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
