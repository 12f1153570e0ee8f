import CameraGeometry
import Estimator
import Geometry

/// Reprojection error of a landmark in the camera of a keyframe, in sigmas of the pixel noise.
///
/// The camera is `R_C = R Exp(w d) R_IC`, `c = p + v d + R Exp(w d) t_IC`, with d its delay and w, v the keyframe's
/// angular and linear velocity. The predicted pixel is the projection of `R_C^T q`, `q = b - rho (c - o)`.
package struct Reprojection {
  /// The linearised residual of one observation, in sigmas.
  package struct Linearised {
    /// Predicted minus measured.
    package var residual: SIMD2<Double>
    /// By the keyframe's (theta, p): 2 x 6, row-major.
    package var pose: [Double]
    /// By the rig's first seven errors (phi, tau, delta): 2 x 7, row-major.
    package var mount: [Double]
    /// By the landmark's (e1, e2, inverse distance): 2 x 3, row-major.
    package var point: [Double]
  }

  /// Projection of directions to pixels.
  package let lens: LensModel
  /// 1-sigma of a coordinate, pixels.
  package var pixelNoise: Double

  /// - Parameter pixelNoise: 1-sigma of a coordinate, pixels.
  package init(lens: LensModel, pixelNoise: Double) {
    self.lens = lens
    self.pixelNoise = pixelNoise
  }

  /// Predicted minus measured, in sigmas; nil where the point cannot be projected.
  package func residual(_ camera: Pose, _ landmark: Landmark, pixel: SIMD2<Double>) -> SIMD2<Double>? {
    let seen = camera.rotation.inverse * landmark.scaled(from: camera.translation)
    return lens.project(seen).map { ($0.pixel - pixel) / pixelNoise }
  }

  /// The same with its Jacobians.
  package func linearised(
    _ frame: Keyframe, _ rig: RigEstimate, _ landmark: Landmark, pixel: SIMD2<Double>
  ) -> Linearised? {
    let imu = frame.worldFromIMU(after: rig.mount.delay)
    let camera = imu * rig.mount.imuFromCamera
    let q = landmark.scaled(from: camera.translation)
    let seen = camera.rotation.inverse * q
    guard let projection = lens.project(seen) else { return nil }
    let (e1, e2) = landmark.bearing.tangentBasis
    let rho = landmark.inverseDistance
    let fromIMU = landmark.scaled(from: imu.translation)
    let rate = imu.rotation * frame.angularVelocity
    var result = Linearised(
      residual: (projection.pixel - pixel) / pixelNoise, pose: [], mount: [], point: [])
    for gradient in [projection.columnGradient / pixelNoise, projection.rowGradient / pixelNoise] {
      // Row vectors from the right: g^T R_C^T = (R_C g)^T, and g^T [q]x = (g x q)^T.
      let g = camera.rotation * gradient
      let theta = g.cross(fromIMU), position = -rho * g
      let phi = gradient.cross(seen), tau = imu.rotation.inverse * position
      let delay = theta.dot(rate) + position.dot(frame.velocity)
      result.pose += [theta.x, theta.y, theta.z, position.x, position.y, position.z]
      result.mount += [phi.x, phi.y, phi.z, tau.x, tau.y, tau.z, delay]
      result.point += [g.dot(e1), g.dot(e2), -g.dot(camera.translation - landmark.origin)]
    }
    return result
  }
}
