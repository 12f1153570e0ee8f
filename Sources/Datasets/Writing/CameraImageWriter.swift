import Images
import SensorData

/// Writes the images of one camera into a recording, in EuRoC's layout: `mav0/camN/data/<timestamp>.png` and a list of
/// them, `mav0/camN/data.csv`. One image at a time: only names are kept.
package struct CameraImageWriter {
  private let folder: StagedFolder
  private let camera: String
  private var list = "#timestamp [ns],filename\n"

  /// A writer for a camera of the recording that is being written.
  package init(folder: StagedFolder, camera: Int) { (self.folder, self.camera) = (folder, "mav0/cam\(camera)") }

  /// Writes an image.
  ///
  /// - Throws: `OutputError`, `ImageError`.
  package mutating func write(_ image: GrayImage, at timestamp: Timestamp) throws {
    let name = "\(timestamp.nanoseconds).png"
    try folder.write(Array(try image.png()), to: "\(camera)/data/\(name)")
    list += "\(timestamp.nanoseconds),\(name)\n"
  }

  /// Writes the list.
  package func finish() throws(OutputError) { try folder.write(Array(list.utf8), to: "\(camera)/data.csv") }
}
