import Geometry
import Inertial
import Vision

/// A point of the window of a start: where it is, and from which poses it was seen.
///
/// It stands at `anchor + bearing / inverseDistance`, with an anchor that stays fixed in the world. The inverse distance may
/// pass through zero and become negative: with little parallax its error is symmetric, and cutting it off would shrink
/// the scale.
package struct StartPoint: Sendable {
  /// One sight, linearised: residual measured minus predicted in sigmas; rows by the pose's theta, its position, and the
  /// point's (e1, e2, inverse distance).
  package struct LinearSight {
    package var residual: SIMD2<Double>
    package var theta: (Vector3, Vector3)
    package var position: (Vector3, Vector3)
    package var point: (Vector3, Vector3)
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
  package func plus(_ step: Vector3) -> StartPoint {
    let (e1, e2) = bearing.tangentBasis
    var moved = self
    moved.bearing = (bearing + step.x * e1 + step.y * e2).normalized
    moved.inverseDistance += step.z
    return moved
  }

  /// A sight from an IMU pose; nil where the lens cannot see the point. Jacobians as in `FeatureConstraint`, all finite at an
  /// inverse distance of zero.
  package func linearised(_ sight: FeatureTrack.Sight, from worldFromIMU: Pose, _ camera: FilterCamera) -> LinearSight?
  {
    let worldFromCamera = worldFromIMU * camera.imuFromCamera
    let offset = worldFromCamera.translation - anchor
    let rho = inverseDistance
    let seen = worldFromCamera.rotation.inverse * (bearing - rho * offset)
    guard let projection = camera.lens.project(seen) else { return nil }
    let fromIMU = bearing - rho * (worldFromIMU.translation - anchor)
    let (e1, e2) = bearing.tangentBasis
    let g = worldFromCamera.rotation * projection.columnGradient / camera.pixelNoise
    let h = worldFromCamera.rotation * projection.rowGradient / camera.pixelNoise
    return LinearSight(
      residual: (sight.pixel - projection.pixel) / camera.pixelNoise,
      theta: (g.cross(fromIMU), h.cross(fromIMU)), position: (-rho * g, -rho * h),
      point: (
        Vector3(g.dot(e1), g.dot(e2), -g.dot(offset)), Vector3(h.dot(e1), h.dot(e2), -h.dot(offset))
      ))
  }
}
