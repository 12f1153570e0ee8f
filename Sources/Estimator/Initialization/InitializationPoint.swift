import Geometry
import Inertial
import CameraGeometry

/// A point of the window of a start: where it is, and from which poses it was seen.
///
/// It stands at `anchor + bearing / inverseDistance`, with an anchor that stays fixed in the world. The inverse distance may
/// pass through zero and become negative: with little parallax its error is symmetric, and cutting it off would shrink
/// the scale.
package struct InitializationPoint: Sendable {
  /// One sight, linearised: residual measured minus predicted in sigmas, and how the prediction's two coordinates change.
  package struct LinearObservation {
    /// By the IMU's theta and position, by the mount's (phi, tau, delta), and by the point's (e1, e2, inverse distance).
    package struct Row {
      package var theta, position: Vector3
      package var mountRotation, mountTranslation: Vector3
      package var delay: Double
      package var point: Vector3
    }

    package var residual: SIMD2<Double>
    package var rows: (Row, Row)
  }

  /// Where the bearing starts, world, metres.
  package var anchor: Vector3
  /// Unit vector, world.
  package var bearing: Vector3
  /// 1/m.
  package var inverseDistance: Double
  /// Sights by index of the pose.
  package var sights: [FeatureTrack.Sight]

  /// A point from its parts.
  package init(anchor: Vector3, bearing: Vector3, inverseDistance: Double, sights: [FeatureTrack.Sight]) {
    (self.anchor, self.bearing, self.inverseDistance, self.sights) = (anchor, bearing, inverseDistance, sights)
  }

  /// Where the sights of a track meet, seen from some states; at infinity where they do not.
  init(_ track: FeatureTrack, from states: [InertialState], _ camera: FilterCamera) {
    let views = track.sights.map { sight in
      CameraView(
        worldFromCamera: states[sight.poseID].worldFromIMU * camera.imuFromCamera, pixel: sight.pixel,
        direction: sight.direction)
    }
    let anchor = views[0].worldFromCamera
    self.init(
      anchor: anchor.translation, bearing: anchor.rotation * views[0].direction, inverseDistance: 0,
      sights: track.sights)
    // Before the refinement even good sights may seem to contradict each other.
    let triangulation = Triangulation(lenses: [camera.lens], pixelNoise: camera.pixelNoise, largestError: 100)
    if case .found(let feature, _, _) = triangulation.solve(views, anchor: 0) {
      (bearing, inverseDistance) = (feature.bearing, feature.inverseDistance)
    }
  }

  /// Moved by (e1, e2, inverse distance).
  package func plus(_ step: Vector3) -> InitializationPoint {
    let (e1, e2) = bearing.tangentBasis
    var moved = self
    moved.bearing = (bearing + step.x * e1 + step.y * e2).normalized
    moved.inverseDistance += step.z
    return moved
  }

  /// A sight from a moment; nil where the lens cannot see the point. Jacobians as in `FeatureConstraint`, all finite at an
  /// inverse distance of zero; by the delay the moment's velocity and turn rate are what they are.
  package func linearised(_ sight: FeatureTrack.Sight, from view: InitializationView, _ camera: FilterCamera) -> LinearObservation? {
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
      residual: (sight.pixel - projection.pixel) / camera.effectiveNoise,
      rows: (row(projection.columnGradient), row(projection.rowGradient)))
  }
}
