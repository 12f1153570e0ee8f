import Geometry

/// Extrinsics and time offset of a camera relative to the IMU: as calibrated, or as estimated by a filter or smoother.
///
/// Error (phi, tau, delta): `R_IC Exp(phi)` with phi in camera axes; metres and seconds are additive.
package struct CameraMount: Equatable, Sendable {
  /// Pose of the camera in the IMU's axes.
  package var imuFromCamera: Pose
  /// Delay of the frames' exposure after their stamps, seconds; the calibrated time offset is already applied.
  package var delay: Double

  /// A mount from its parts.
  package init(imuFromCamera: Pose, delay: Double = 0) {
    self.imuFromCamera = imuFromCamera
    self.delay = delay
  }

  /// Dimension of the error.
  package static let errorSize = 7

  /// Uncertainty after a careful calibration, 1-sigma: radians, metres, seconds.
  package static let sigmas = (rotation: 0.005, translation: 0.005, delay: 0.003)

  /// The same for each component of the error.
  package static let errorSigmas: [Double] =
    [sigmas.rotation, sigmas.translation].flatMap { [$0, $0, $0] } + [sigmas.delay]

  /// `x [+] d`. Law: `x.plus(d).minus(x) == d`.
  package func plus(_ d: ArraySlice<Double>) -> CameraMount {
    precondition(d.count == Self.errorSize, "one number for every error")
    let s = d.startIndex
    var next = self
    next.imuFromCamera.rotation = imuFromCamera.rotation * Rotation.exp(Vector3(d[s], d[s + 1], d[s + 2]))
    next.imuFromCamera.translation += Vector3(d[s + 3], d[s + 4], d[s + 5])
    next.delay += d[s + 6]
    return next
  }

  /// `x [-] y`: the error d with `y [+] d = x`.
  package func minus(_ y: CameraMount) -> [Double] {
    let phi = (y.imuFromCamera.rotation.inverse * imuFromCamera.rotation).log
    let tau = imuFromCamera.translation - y.imuFromCamera.translation
    return [phi.x, phi.y, phi.z, tau.x, tau.y, tau.z, delay - y.delay]
  }

  /// True when all components are finite.
  package var isFinite: Bool {
    imuFromCamera.rotation.v.isFinite && imuFromCamera.rotation.w.isFinite && imuFromCamera.translation.isFinite
      && delay.isFinite
  }
}
