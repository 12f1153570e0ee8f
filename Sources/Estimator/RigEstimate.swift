import CameraGeometry
import Geometry
import Inertial

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
