import Images
import SensorData

/// Images of 16 bits of which fewer are in use, which would look black.
enum ImageDepth {
  /// A line for every camera whose first image has 16 bits, none of them above the 12th, where the calibration does not
  /// say so.
  static func warnings(_ layout: RecordingLayout, _ rig: RigCalibration) throws(DatasetError) -> [String] {
    var lines: [String] = []
    for (camera, files) in layout.images.enumerated() where rig.cameras[camera].imageBits == 16 {
      let list = try ImageList(files, stamps: layout.imageStamps, isStrict: false)
      guard let entry = try list.next(), let bytes = try? list.file(entry, rig.cameras[camera]).bytes(),
        (try? GrayImage.depth(encoded: bytes)) == 16, let image = try? GrayImage(encoded: bytes),
        let brightest = image.pixels.max(), brightest > 0, brightest < 16
      else { continue }
      lines.append(
        "\(files.folder.path)/\(entry.row.name): 16 bits, none above the 12th in use: state image_bits: 12 in "
          + "\(layout.root)/mav0/cam\(camera)/sensor.yaml if this camera has 12")
    }
    return lines
  }
}
