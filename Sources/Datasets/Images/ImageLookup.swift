import Images
import SensorData

/// Finds the images that belong to frames, in order of time.
package final class ImageLookup {
  private let list: ImageList
  private let calibration: CameraCalibration

  init(_ list: ImageList, _ calibration: CameraCalibration) { (self.list, self.calibration) = (list, calibration) }

  /// The image of a frame; nil where there is no usable one. Stamps must rise from call to call.
  package func image(at stamp: Timestamp) throws(DatasetError) -> GrayImage? {
    while let entry = try list.next() {
      guard entry.time >= stamp.nanoseconds else { continue }
      return entry.time == stamp.nanoseconds ? try? list.file(entry, calibration).load() : nil
    }
    return nil
  }
}
