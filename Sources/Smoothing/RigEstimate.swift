import Geometry
import Inertial

/// What the calibration of a device may be wrong about for a whole recording: where the camera sits on the IMU, the
/// camera's clock, and the axes of the inertial unit.
///
/// Error state (phi, tau, delta, kappa): `R_IC Exp(phi)` with phi in camera axes, all else additive; kappa are the
/// numbers of `IMUIntrinsics`.
package struct RigEstimate: Equatable, Sendable {
  /// Pose of the camera in the IMU's axes.
  package var imuFromCamera: Pose
  /// Seconds by which the frames were taken later than their stamps (the calibrated offset applied) say.
  package var delay: Double
  /// The inertial unit's axes.
  package var intrinsics: IMUIntrinsics

  /// An estimate from its parts.
  package init(imuFromCamera: Pose, delay: Double = 0, intrinsics: IMUIntrinsics = IMUIntrinsics()) {
    self.imuFromCamera = imuFromCamera
    self.delay = delay
    self.intrinsics = intrinsics
  }

  /// Size of its error state.
  package static let errorSize = 7 + IMUIntrinsics.count

  /// `x [+] d`. Law: `x.plus(d).minus(x) == d`.
  package func plus(_ d: ArraySlice<Double>) -> RigEstimate {
    precondition(d.count == Self.errorSize, "one number for every error")
    let s = d.startIndex
    func part(_ i: Int) -> Vector3 { Vector3(d[s + i], d[s + i + 1], d[s + i + 2]) }
    var next = self
    next.imuFromCamera.rotation = imuFromCamera.rotation * Rotation.exp(part(0))
    next.imuFromCamera.translation += part(3)
    next.delay += d[s + 6]
    next.intrinsics.add(d[(s + 7)...])
    return next
  }

  /// `x [-] y`: the error that carries y to x.
  package func minus(_ y: RigEstimate) -> [Double] {
    let phi = (y.imuFromCamera.rotation.inverse * imuFromCamera.rotation).log
    let tau = imuFromCamera.translation - y.imuFromCamera.translation
    let kappa = zip(intrinsics.triples, y.intrinsics.triples).flatMap { a, b in (0..<3).map { a[$0] - b[$0] } }
    return [phi.x, phi.y, phi.z, tau.x, tau.y, tau.z, delay - y.delay] + kappa
  }
}
