import Geometry

/// What the calibration of a camera may be wrong about for a whole recording: where it sits on the IMU, and its clock.
///
/// Error state (phi, tau, delta): `R_IC Exp(phi)` with phi in camera axes, `t_IC + tau`, `offset + delta`.
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

  /// Size of its error state.
  package static let errorSize = 7

  /// `x [+] d`. Law: `x.plus(d).minus(x) == d`.
  package func plus(_ d: ArraySlice<Double>) -> CameraMount {
    precondition(d.count == Self.errorSize, "seven numbers")
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
}
