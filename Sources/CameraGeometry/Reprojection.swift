import Geometry

/// A point of the world as a bearing and an inverse distance from a fixed origin:
/// `f = origin + bearing / inverseDistance`.
///
/// With little parallax the error of the inverse distance is symmetric: it may be slightly negative, and clamping it would
/// bias the scale.
/// Source: Civera, Davison, Montiel 2008, doi:10.1109/TRO.2008.2003276.
package struct InverseDistancePoint: Equatable, Sendable {
  /// Origin of the parametrisation, world, metres: near a camera that observed the point.
  package var origin: Vector3
  /// Unit vector from the origin to the point, world axes.
  package var bearing: Vector3
  /// 1 / distance from the origin, 1/m; 0 at infinity.
  package var inverseDistance: Double

  /// Size of its error state: (e1, e2, inverse distance).
  package static let errorSize = 3

  /// A point from its parts.
  package init(origin: Vector3, bearing: Vector3, inverseDistance: Double) {
    self.origin = origin
    self.bearing = bearing
    self.inverseDistance = inverseDistance
  }

  /// Vector from a position to the point, times the inverse distance: finite also at infinity.
  package func scaled(from position: Vector3) -> Vector3 { bearing - inverseDistance * (position - origin) }

  /// Updated by (e1, e2, inverse distance), with e1, e2 the bearing's tangent basis.
  package func plus(_ step: Vector3) -> InverseDistancePoint {
    let (e1, e2) = bearing.tangentBasis
    return InverseDistancePoint(
      origin: origin, bearing: (bearing + step.x * e1 + step.y * e2).normalized,
      inverseDistance: inverseDistance + step.z)
  }

  /// Moved rigidly with a camera: its observation from `new` is that from `old`.
  package func carried(from old: Pose, to new: Pose) -> InverseDistancePoint {
    let rotation = new.rotation * old.rotation.inverse
    return InverseDistancePoint(
      origin: new.translation + rotation * (origin - old.translation), bearing: (rotation * bearing).normalized,
      inverseDistance: inverseDistance)
  }
}

/// Reprojection error of a point in a camera that moves with an IMU, in sigmas of the pixel noise.
///
/// The camera is `R_C = R Exp(w d) R_IC`, `c = p + v d + R Exp(w d) t_IC`, with d its delay and w, v the angular and linear
/// velocity of the IMU. The predicted pixel is the projection of `R_C^T q`, `q = b - rho (c - o)`.
package struct Reprojection: Sendable {
  /// Where the camera and the IMU were when a frame was taken, after the camera's delay, and how they moved.
  package struct View: Sendable {
    /// Pose of the IMU.
    package let worldFromIMU: Pose
    /// Pose of the camera.
    package let worldFromCamera: Pose
    /// Angular velocity, world axes, rad/s.
    package let rate: Vector3
    /// Velocity of the IMU, world axes, m/s.
    package let velocity: Vector3

    /// A view from its parts.
    package init(worldFromIMU: Pose, imuFromCamera: Pose, rate: Vector3, velocity: Vector3) {
      self.worldFromIMU = worldFromIMU
      worldFromCamera = worldFromIMU * imuFromCamera
      self.rate = rate
      self.velocity = velocity
    }
  }

  /// The linearised residual of one observation, in sigmas.
  package struct Linearised: Sendable {
    /// Derivatives of a coordinate by the IMU's (theta, position), the mount's (phi, tau, delta), and the point's (e1, e2,
    /// inverse distance).
    package struct Row: Sendable {
      package var theta, position: Vector3
      package var mountRotation, mountTranslation: Vector3
      package var delay: Double
      package var point: Vector3
    }

    /// Predicted minus measured.
    package var residual: SIMD2<Double>
    /// By column and row of the pixel.
    package var rows: (Row, Row)
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
  package func residual(_ camera: Pose, _ point: InverseDistancePoint, pixel: SIMD2<Double>) -> SIMD2<Double>? {
    lens.project(camera.rotation.inverse * point.scaled(from: camera.translation)).map {
      ($0.pixel - pixel) / pixelNoise
    }
  }

  /// The same with its Jacobians, finite also at an inverse distance of zero.
  package func linearised(_ view: View, _ point: InverseDistancePoint, pixel: SIMD2<Double>) -> Linearised? {
    let camera = view.worldFromCamera
    let seen = camera.rotation.inverse * point.scaled(from: camera.translation)
    guard let projection = lens.project(seen) else { return nil }
    let fromIMU = point.scaled(from: view.worldFromIMU.translation)
    let (e1, e2) = point.bearing.tangentBasis
    func row(_ pixelGradient: Vector3) -> Linearised.Row {
      // Row vectors from the right: g^T R_C^T = (R_C g)^T, and g^T [q]x = (g x q)^T.
      let gradient = pixelGradient / pixelNoise
      let g = camera.rotation * gradient
      let theta = g.cross(fromIMU), position = -point.inverseDistance * g
      return Linearised.Row(
        theta: theta, position: position, mountRotation: gradient.cross(seen),
        mountTranslation: view.worldFromIMU.rotation.inverse * position,
        delay: theta.dot(view.rate) + position.dot(view.velocity),
        point: Vector3(g.dot(e1), g.dot(e2), -g.dot(camera.translation - point.origin)))
    }
    return Linearised(
      residual: (projection.pixel - pixel) / pixelNoise,
      rows: (row(projection.columnGradient), row(projection.rowGradient)))
  }
}
