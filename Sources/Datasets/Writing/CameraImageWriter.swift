import Foundation
import Images
import SensorData

/// Writes the images of one camera into a recording, in EuRoC's layout: `mav0/camN/data/<timestamp>.png` and a list of
/// them, `mav0/camN/data.csv`. One image at a time: only names are kept.
///
/// The list appears at the end, so that a recording with a list has all of its images.
package struct CameraImageWriter {
  private let camera: URL
  private var list = "#timestamp [ns],filename\n"

  /// A writer for a camera of the recording in `folder`. Images of an earlier recording are removed.
  ///
  /// - Throws: `DatasetWritingError.file`.
  package init(folder: URL, camera: Int) throws(DatasetWritingError) {
    self.camera = folder.appendingPathComponent("mav0/cam\(camera)")
    do {
      try Self.remove(folder: folder, camera: camera)
      try FileManager.default.createDirectory(
        at: self.camera.appendingPathComponent("data"), withIntermediateDirectories: true)
    } catch {
      throw .file(self.camera.path, reason: error.localizedDescription)
    }
  }

  /// Writes an image.
  ///
  /// - Throws: `DatasetWritingError.file`.
  package mutating func write(_ image: GrayImage, at timestamp: Timestamp) throws(DatasetWritingError) {
    let name = "\(timestamp.nanoseconds).png"
    let url = camera.appendingPathComponent("data/\(name)")
    do { try Data(image.png()).write(to: url) } catch {
      throw .file(url.path, reason: (error as? ImageError)?.description ?? error.localizedDescription)
    }
    list += "\(timestamp.nanoseconds),\(name)\n"
  }

  /// Writes the list.
  ///
  /// - Throws: `DatasetWritingError.file`.
  package func finish() throws(DatasetWritingError) {
    let url = camera.appendingPathComponent("data.csv")
    do { try Data(list.utf8).write(to: url, options: .atomic) } catch {
      throw .file(url.path, reason: error.localizedDescription)
    }
  }

  /// Removes a camera's list and the files in its `data` with names of such images.
  static func remove(folder: URL, camera: Int) throws {
    let camera = folder.appendingPathComponent("mav0/cam\(camera)")
    let (list, data) = (camera.appendingPathComponent("data.csv"), camera.appendingPathComponent("data"))
    let files = FileManager.default
    if files.fileExists(atPath: list.path) { try files.removeItem(at: list) }
    guard let names = try? files.contentsOfDirectory(atPath: data.path) else { return }
    let images = names.filter { $0.hasSuffix(".png") && Int64($0.dropLast(4)) != nil }
    for name in images { try files.removeItem(at: data.appendingPathComponent(name)) }
    if images.count == names.count { try files.removeItem(at: data) }
  }
}
