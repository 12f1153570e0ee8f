import Foundation
import Images
import SensorData

extension Recording {
  /// What keeps `fuse run` from beginning with a folder; nil where nothing does.
  ///
  /// Opens it as a run does, trajectory and images included, and loads the first image of each camera.
  package static func obstacle(toRun folder: String) -> DatasetError? {
    do throws(DatasetError) {
      let options = ReadingOptions(tracking: ImageTrackingOptions(readsAhead: false) { _, _ in NoTracks() })
      let recording = try open(URL(fileURLWithPath: folder), options: options)
      guard recording.trajectorySource == .imuAndCamera else { return nil }
      for (number, images) in recording.layout.images.enumerated() {
        let list = try ImageList(images, stamps: recording.layout.imageStamps, isStrict: false)
        guard let entry = try list.next() else { continue }
        let file = list.file(entry, recording.rig.cameras[number])
        do { _ = try file.load() } catch {
          throw DatasetError(file: file.path, found: error.found, expected: error.expected)
        }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Columns and rows of the first image of a camera in a folder; nil without one that can be read.
  package static func imageSize(in folder: String, camera number: Int) -> (width: Int, height: Int)? {
    let camera = "mav0/cam\(number)"
    func file(_ name: String) -> RecordingFile {
      RecordingFile(path: "\(folder)/\(camera)/\(name)", relativePath: "\(camera)/\(name)")
    }
    let images = CameraImages(list: file("data.csv"), folder: file("data"))
    guard let list = try? ImageList(images, stamps: .middle, isStrict: false), let entry = try? list.next(),
      let bytes = try? RegularFile.bytes("\(images.folder.path)/\(entry.row.name)", limit: 64 << 20)
    else { return nil }
    return try? GrayImage.size(encoded: bytes)
  }

  private final class NoTracks: ImageTracking {
    func add(_ sample: IMUSample) {}
    func frames(_ images: [GrayImage?], exposures: [Double?], at stamp: Timestamp) -> [CameraFrame] { [] }
  }
}
