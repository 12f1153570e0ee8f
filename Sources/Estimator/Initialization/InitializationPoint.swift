import CameraGeometry
import Geometry
import Inertial

/// A point of the initialisation window and its observations.
package struct InitializationPoint: Sendable {
  /// Where it is.
  package var place: InverseDistancePoint
  /// Observations; `poseID` is the index of the pose.
  package var observations: [FeatureTrack.Observation]

  /// A point from its parts.
  package init(_ place: InverseDistancePoint, observations: [FeatureTrack.Observation]) {
    (self.place, self.observations) = (place, observations)
  }

  /// Triangulates a track from given states; at infinity where that fails.
  init(_ track: FeatureTrack, from states: [InertialState], _ camera: FilterCamera) {
    let views = track.observations.map { observation in
      CameraView(
        worldFromCamera: states[observation.poseID].worldFromIMU * camera.imuFromCamera, pixel: observation.pixel,
        direction: observation.direction)
    }
    let anchor = views[0].worldFromCamera
    place = InverseDistancePoint(
      origin: anchor.translation, bearing: anchor.rotation * views[0].direction, inverseDistance: 0)
    observations = track.observations
    // Before the refinement even good observations may look inconsistent.
    let triangulation = Triangulation(lenses: [camera.lens], pixelNoise: camera.pixelNoise, largestError: 100)
    if case .found(let feature, _, _) = triangulation.solve(views, anchor: 0) {
      (place.bearing, place.inverseDistance) = (feature.bearing, feature.inverseDistance)
    }
  }

  /// The point with an error (e1, e2, inverse distance) added.
  package func plus(_ step: Vector3) -> InitializationPoint {
    InitializationPoint(place.plus(step), observations: observations)
  }
}

extension Reprojection.View {
  /// A state's view.
  ///
  /// - Parameter angularVelocity: of the IMU at the frame's stamp, its own axes, rad/s. It and the state's velocity are
  ///   constant over the delay.
  package init(_ state: InertialState, angularVelocity: Vector3, mount: CameraMount) {
    let rotation = state.rotation * Rotation.exp(angularVelocity * mount.delay)
    self.init(
      worldFromIMU: Pose(rotation: rotation, translation: state.position + state.velocity * mount.delay),
      imuFromCamera: mount.imuFromCamera, rate: state.rotation * angularVelocity, velocity: state.velocity)
  }
}
