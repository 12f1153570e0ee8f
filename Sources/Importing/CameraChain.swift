import Datasets
import Geometry
import SensorData

/// Cameras of a Kalibr or OpenVINS chain, for importers.
enum CameraChain {
  /// All cameras of a chain, cam0 first.
  static func cameras(_ path: String, bodyFromIMU: Pose) throws(DatasetError) -> [CameraCalibration] {
    let file = RecordingFile(path: path, relativePath: path)
    var cameras: [CameraCalibration] = []
    for number in 0..<2 {
      guard try CalibrationFile(path: path).keys.contains("cam\(number)") || number == 0 else { break }
      cameras.append(try Kalibr.camera(file, number: number, bodyFromIMU: bodyFromIMU))
    }
    return cameras
  }
}
