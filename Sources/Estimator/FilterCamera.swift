import CameraGeometry
import Geometry
import SensorData

/// Camera model of the filter.
package struct FilterCamera {
  /// Projection, from the calibration or from the filter's present estimate.
  package var lens: LensModel
  /// Block of the lens' error; nil unless the lens is a state.
  package var lensBlock: ErrorCovariance.Block?
  /// Pose of the camera in the IMU's axes.
  package let imuFromCamera: Pose
  /// Pose of this camera in the camera of the clones: the identity for that one.
  package let keptFromCamera: Pose
  /// 1-sigma of a feature's coordinate as stated by the calibration, pixels.
  package let statedNoise: Double
  /// The same as the images show it (`PixelNoiseLevel`); `statedNoise` until they do.
  package private(set) var pixelNoise: Double
  /// 1-sigma of white noise with the same information on slowly varying quantities as the tracks' own noise, pixels.
  /// `pixelNoise` until the track noise has been estimated (`TrackNoise`).
  package var effectiveNoise: Double

  /// From the calibrations of camera and IMU; `kept`: the camera of the clones, if another.
  package init(_ camera: CameraCalibration, imu: IMUCalibration, beside kept: CameraCalibration? = nil) {
    lens = LensModel(camera)
    imuFromCamera = imu.bodyFromIMU.inverse * camera.bodyFromCamera
    keptFromCamera = kept.map { $0.bodyFromCamera.inverse * camera.bodyFromCamera } ?? .identity
    statedNoise = camera.pixelNoise
    pixelNoise = camera.pixelNoise
    effectiveNoise = camera.pixelNoise
  }

  /// Sets the pixel noise, in units of the stated.
  mutating func setNoise(level: Double) {
    pixelNoise = level * statedNoise
    effectiveNoise = pixelNoise
  }

  /// The camera with the filter's present estimate of the lens.
  package func known(to filter: InertialNavigation) -> FilterCamera {
    guard let lens = filter.lens else { return self }
    var camera = self
    (camera.lens, camera.lensBlock) = (lens, filter.lensBlock)
    return camera
  }
}
