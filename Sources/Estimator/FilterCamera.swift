import Geometry
import SensorData
import CameraGeometry

/// A camera as the filter needs it.
package struct FilterCamera {
  /// Directions to pixels and back, as the calibration says or as the filter knows it now.
  package var lens: LensModel
  /// The lens' error in the filter's state; nil where the lens is taken as it is.
  package var lensBlock: ErrorCovariance.Block?
  /// Pose of the camera in the IMU's axes.
  package let imuFromCamera: Pose
  /// Pose of this camera in the one whose poses are kept: the identity for that one.
  package let keptFromCamera: Pose
  /// 1-sigma of a feature's coordinate as the calibration states it, pixels.
  package let pixelNoise: Double
  /// 1-sigma of white noise that tells as little of what hardly changes as the tracks' own, pixels: `pixelNoise` until the
  /// tracks have told that they drift (`TrackNoise`).
  package var effectiveNoise: Double

  /// From the calibrations of both; `kept`: the camera whose poses are kept, if it is another.
  package init(_ camera: CameraCalibration, imu: IMUCalibration, beside kept: CameraCalibration? = nil) {
    lens = LensModel(camera)
    imuFromCamera = imu.bodyFromIMU.inverse * camera.bodyFromCamera
    keptFromCamera = kept.map { $0.bodyFromCamera.inverse * camera.bodyFromCamera } ?? .identity
    pixelNoise = camera.pixelNoise
    effectiveNoise = camera.pixelNoise
  }

  /// The camera with the lens as a filter knows it now.
  package func known(to filter: InertialNavigation) -> FilterCamera {
    guard let lens = filter.lens else { return self }
    var camera = self
    (camera.lens, camera.lensBlock) = (lens, filter.lensBlock)
    return camera
  }
}
