import Geometry
import SensorData
import Vision

/// A camera as the filter needs it.
struct FilterCamera {
  /// Directions to pixels and back.
  let lens: LensModel
  /// Pose of the camera in the IMU's axes.
  let imuFromCamera: Pose
  /// 1-sigma of a feature's coordinate, pixels.
  let pixelNoise: Double

  init(_ camera: CameraCalibration, imu: IMUCalibration) {
    lens = LensModel(camera)
    imuFromCamera = imu.bodyFromIMU.inverse * camera.bodyFromCamera
    pixelNoise = camera.pixelNoise
  }
}
