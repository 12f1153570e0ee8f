import CameraGeometry
import Geometry
import Inertial

/// A point of the initialisation window and its observations.
///
/// Its position is `anchor + bearing / inverseDistance`, with the anchor fixed in the world. The inverse distance may
/// be zero or negative: with little parallax its error is symmetric, and truncation would bias the scale.
package struct InitializationPoint: Sendable {
  /// One linearised observation: residual (measured minus predicted) in sigmas, and the Jacobian of the prediction's
  /// two coordinates.
  package struct LinearObservation {
    /// Derivatives by the IMU's theta and position, the mount's (phi, tau, delta), and the point's (e1, e2, inverse
    /// distance).
    package struct Row {
      package var theta, position: Vector3
      package var mountRotation, mountTranslation: Vector3
      package var delay: Double
      package var point: Vector3
    }

    package var residual: SIMD2<Double>
    package var rows: (Row, Row)
  }

  /// Origin of the bearing, world, metres.
  package var anchor: Vector3
  /// Unit vector, world.
  package var bearing: Vector3
  /// 1/m.
  package var inverseDistance: Double
  /// Observations; `poseID` is the index of the pose.
  package var observations: [FeatureTrack.Observation]

  /// A point from its parts.
  package init(anchor: Vector3, bearing: Vector3, inverseDistance: Double, observations: [FeatureTrack.Observation]) {
    (self.anchor, self.bearing, self.inverseDistance, self.observations) = (
      anchor, bearing, inverseDistance, observations
    )
  }

  /// Triangulates a track from given states; at infinity where that fails.
  init(_ track: FeatureTrack, from states: [InertialState], _ camera: FilterCamera) {
    let views = track.observations.map { observation in
      CameraView(
        worldFromCamera: states[observation.poseID].worldFromIMU * camera.imuFromCamera, pixel: observation.pixel,
        direction: observation.direction)
    }
    let anchor = views[0].worldFromCamera
    self.init(
      anchor: anchor.translation, bearing: anchor.rotation * views[0].direction, inverseDistance: 0,
      observations: track.observations)
    // Before the refinement even good observations may look inconsistent.
    let triangulation = Triangulation(lenses: [camera.lens], pixelNoise: camera.pixelNoise, largestError: 100)
    if case .found(let feature, _, _) = triangulation.solve(views, anchor: 0) {
      (bearing, inverseDistance) = (feature.bearing, feature.inverseDistance)
    }
  }

  /// The point with an error (e1, e2, inverse distance) added.
  package func plus(_ step: Vector3) -> InitializationPoint {
    let (e1, e2) = bearing.tangentBasis
    var moved = self
    moved.bearing = (bearing + step.x * e1 + step.y * e2).normalized
    moved.inverseDistance += step.z
    return moved
  }

  /// Residual of an observation, measured minus predicted, in sigmas; nil where the lens cannot project the point.
  func residual(_ observation: FeatureTrack.Observation, from view: InitializationView, _ camera: FilterCamera)
    -> SIMD2<Double>?
  {
    let worldFromCamera = view.worldFromCamera
    let seen = worldFromCamera.rotation.inverse * (bearing - inverseDistance * (worldFromCamera.translation - anchor))
    guard let projection = camera.lens.project(seen) else { return nil }
    return (observation.pixel - projection.pixel) / camera.effectiveNoise
  }

  /// Linearises an observation; nil where the lens cannot project the point. Jacobians as in `FeatureConstraint`, all
  /// finite at zero inverse distance; derivatives by the delay use the view's velocity and angular rate.
  package func linearised(
    _ observation: FeatureTrack.Observation, from view: InitializationView, _ camera: FilterCamera
  ) -> LinearObservation? {
    let worldFromCamera = view.worldFromCamera
    let offset = worldFromCamera.translation - anchor
    let rho = inverseDistance
    let seen = worldFromCamera.rotation.inverse * (bearing - rho * offset)
    guard let projection = camera.lens.project(seen) else { return nil }
    let fromIMU = bearing - rho * (view.worldFromIMU.translation - anchor)
    let (e1, e2) = bearing.tangentBasis
    func row(_ gradient: Vector3) -> LinearObservation.Row {
      // Row vectors from the right: g^T R_C^T = (R_C g)^T, and g^T [q]x = (g x q)^T.
      let scaled = gradient / camera.effectiveNoise
      let g = worldFromCamera.rotation * scaled
      let theta = g.cross(fromIMU), position = -rho * g
      return LinearObservation.Row(
        theta: theta, position: position, mountRotation: scaled.cross(seen),
        mountTranslation: view.worldFromIMU.rotation.inverse * position,
        delay: theta.dot(view.rate) + position.dot(view.velocity),
        point: Vector3(g.dot(e1), g.dot(e2), -g.dot(offset)))
    }
    return LinearObservation(
      residual: (observation.pixel - projection.pixel) / camera.effectiveNoise,
      rows: (row(projection.columnGradient), row(projection.rowGradient)))
  }
}

/// Pose and motion of the camera and the IMU when a frame was taken, after the camera's delay.
package struct InitializationView {
  /// Pose of the IMU when the frame was taken.
  package let worldFromIMU: Pose
  /// Pose of the camera.
  package let worldFromCamera: Pose
  /// Angular velocity, world axes, rad/s.
  package let rate: Vector3
  /// Velocity of the IMU, world axes, m/s.
  package let velocity: Vector3

  /// - Parameter angularVelocity: of the IMU at the frame's stamp, its own axes, rad/s. It and the state's velocity are
  ///   constant over the delay.
  package init(_ state: InertialState, angularVelocity: Vector3, mount: CameraMount) {
    let rotation = state.rotation * Rotation.exp(angularVelocity * mount.delay)
    worldFromIMU = Pose(rotation: rotation, translation: state.position + state.velocity * mount.delay)
    worldFromCamera = worldFromIMU * mount.imuFromCamera
    rate = state.rotation * angularVelocity
    velocity = state.velocity
  }
}
