import Datasets
import Geometry
import SensorData

/// The camera of a phone's recording, whose frames are in a video: the folder `video` gets their stamps and what is known
/// of the lens, from which `fuse-import-video` makes cam0.
struct PhoneVideo {
  /// The name of the video, for the report.
  var name: String
  /// Focal lengths, pixels.
  var focal: (x: Double, y: Double)?
  /// Principal point, pixels; nil: the middle of the frame.
  var principal: (x: Double, y: Double)?
  /// Columns and rows that these are of; nil: those of the video's frames.
  var size: (width: Int, height: Int)?
  /// The lens.
  var distortion = CameraCalibration.Distortion.none
  /// The camera in the device; nil: by the frame's shape, which is upright where it is higher than wide.
  var bodyFromCamera: Pose?
  /// Seconds from the first row to the last of a rolling shutter, where the app says.
  var readout: Double?

  /// OpenCV's axes of a frame as the sensor gives it, in landscape, in the device's: `degrees` clockwise make it upright.
  static func axes(orientation degrees: Double = 90) -> Rotation {
    let (c, s) = (
      degrees == 0 || degrees == 180 ? (degrees == 0 ? 1.0 : -1) : 0, degrees == 90 ? 1.0 : degrees == 270 ? -1 : 0
    )
    return Rotation(matrix: Matrix3(columns: Vector3(c, -s, 0), Vector3(-s, -c, 0), Vector3(0, 0, -1)))
  }

  /// Writes stamps, nanoseconds in order, and the calibration.
  ///
  /// - Parameter frames: for each stamp the number of its frame in the video; nil: one after the other.
  func write(_ stamps: [Int64], frames: [Int]? = nil, into target: inout ImportTarget) throws {
    var text = frames == nil ? "#timestamp [ns]\n" : "#timestamp [ns],frame []\n"
    var last = Int64.min, left = 0
    for (k, stamp) in stamps.enumerated() {
      guard stamp >= 0, stamp > last, SensorBounds.isStamp(stamp) else {
        left += 1
        if frames == nil { text += "-1\n" }
        continue
      }
      text += frames.map { "\(stamp),\($0[k])\n" } ?? "\(stamp)\n"
      last = stamp
    }
    target.report.count("frames", stamps.count - left)
    target.report.count("frames left out, stamp not after the one before", left)
    try target.folder.write(Array(text.utf8), to: "video/cam0.csv")
    try target.folder.write(Array(calibration.utf8), to: "video/cam0.yaml")
    target.report.decide(
      "\(name): stamps and lens of its frames are in the folder video; 'fuse-import-video \(name) -o <folder>' of the Python "
        + "package makes cam0 of them")
  }

  private var calibration: String {
    var text = "sensor_type: camera\n"
    if let pose = bodyFromCamera {
      let (r, t) = (pose.rotation.matrix, pose.translation)
      let numbers = (0..<3).flatMap { [r[$0, 0], r[$0, 1], r[$0, 2], t[$0]] } + [0, 0, 0, 1]
      text += "T_BS: [\(numbers.map { "\($0)" }.joined(separator: ", "))]\n"
    }
    if let size { text += "resolution: [\(size.width), \(size.height)]\n" }
    if let focal {
      let all = [focal.x, focal.y] + (principal.map { [$0.x, $0.y] } ?? [])
      text += "camera_model: pinhole\nintrinsics: [\(all.map { "\($0)" }.joined(separator: ", "))]\n"
      switch distortion {
      case .rational(let k1, let k2, let p1, let p2, let k3, _, _, _):
        text += "distortion_model: radial-tangential\ndistortion_coefficients: [\(k1), \(k2), \(p1), \(p2), \(k3)]\n"
      default: text += "distortion_model: none\ndistortion_coefficients: []\n"
      }
    }
    if let readout { text += "readout_time_s: \(readout)\n" }
    return text
  }
}
