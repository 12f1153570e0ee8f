import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Calibration parameters that are constant over a recording: camera mount, camera delay, and IMU intrinsics.
///
/// Error state (phi, tau, delta, kappa): the mount's, and the parameters of `IMUIntrinsics`.
package struct RigEstimate: Equatable, Sendable {
  /// Mount of the camera on the IMU.
  package var mount: CameraMount
  /// IMU intrinsics.
  package var intrinsics: IMUIntrinsics

  /// An estimate from its parts.
  package init(mount: CameraMount, intrinsics: IMUIntrinsics = IMUIntrinsics()) {
    self.mount = mount
    self.intrinsics = intrinsics
  }

  /// Size of its error state.
  package static let errorSize = CameraMount.errorSize + IMUIntrinsics.count

  /// `x [+] d`. Law: `x.plus(d).minus(x) == d`.
  package func plus(_ d: ArraySlice<Double>) -> RigEstimate {
    precondition(d.count == Self.errorSize, "one number for every error")
    var next = self
    next.mount = mount.plus(d.prefix(CameraMount.errorSize))
    next.intrinsics.add(d.dropFirst(CameraMount.errorSize))
    return next
  }

  /// `x [-] y`: the error with `y.plus(error) == x`.
  package func minus(_ y: RigEstimate) -> [Double] {
    let kappa = zip(intrinsics.triples, y.intrinsics.triples).flatMap { a, b in (0..<3).map { a[$0] - b[$0] } }
    return mount.minus(y.mount) + kappa
  }
}

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

/// A second camera, synchronised with the camera of the clones.
struct SecondCamera {
  /// Largest time difference of synchronised frames, seconds: below a pixel at 1 rad/s.
  static let tolerance = 0.001

  /// Its model.
  var camera: FilterCamera
  /// Seconds from its clock to the IMU's.
  let timeOffset: Double
  /// Whether a feature has the same id in both cameras.
  let sharesIDs: Bool
  /// Its tracks, where they have ids of their own.
  var tracks = FeatureTracks()
  /// A frame received before the first camera's.
  var early: CameraFrame?

  init(_ calibration: CameraCalibration, imu: IMUCalibration, beside first: CameraCalibration) {
    camera = FilterCamera(calibration, imu: imu, beside: first)
    timeOffset = calibration.timeOffset
    sharesIDs = calibration.featureIDs == .shared
  }
}
