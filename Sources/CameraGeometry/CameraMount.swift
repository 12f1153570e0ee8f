import Geometry

/// How a camera sits on the inertial unit and how its clock runs: what a calibration says, and what a filter or a smoother
/// makes of it.
///
/// Error (phi, tau, delta): `R_IC Exp(phi)` with phi in camera axes, metres and seconds additive.
package struct CameraMount: Equatable, Sendable {
  /// Pose of the camera in the IMU's axes.
  package var imuFromCamera: Pose
  /// Seconds by which the frames were taken later than their stamps (the calibrated offset applied) say.
  package var delay: Double

  /// A mount from its parts.
  package init(imuFromCamera: Pose, delay: Double = 0) {
    self.imuFromCamera = imuFromCamera
    self.delay = delay
  }

  /// Size of its error.
  package static let errorSize = 7

  /// What a careful calibration leaves open, 1-sigma: radians, metres, seconds.
  package static let sigmas = (rotation: 0.005, translation: 0.005, delay: 0.003)

  /// The same for each number of the error.
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

  /// `x [-] y`: the error that carries y to x.
  package func minus(_ y: CameraMount) -> [Double] {
    let phi = (y.imuFromCamera.rotation.inverse * imuFromCamera.rotation).log
    let tau = imuFromCamera.translation - y.imuFromCamera.translation
    return [phi.x, phi.y, phi.z, tau.x, tau.y, tau.z, delay - y.delay]
  }

  /// True when nothing is NaN or infinite.
  package var isFinite: Bool {
    imuFromCamera.rotation.v.isFinite && imuFromCamera.rotation.w.isFinite && imuFromCamera.translation.isFinite
      && delay.isFinite
  }
}
