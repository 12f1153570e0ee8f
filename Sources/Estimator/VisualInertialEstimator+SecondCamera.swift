import CameraGeometry
import SensorData

/// Second camera.
extension VisualInertialEstimator {
  /// Processes a frame of the second camera if synchronised with a frame of the first. Other frames, and frames of a
  /// stationary device, are ignored.
  package func join(_ frame: CameraFrame) {
    early = nil
    guard let second, let navigation else { return }
    let time = frame.timestamp.advanced(bySeconds: second.timeOffset)
    guard let clone = navigation.clones.last, abs(clone.timestamp.seconds(since: time)) <= SecondCamera.tolerance else {
      if time > navigation.time { early = frame }
      return
    }
    var selected = VisualUpdate.Tracks(companions: companions)
    if second.sharesIDs {
      tracks.join(frame.features, lens: second.camera.lens, poseID: clone.id, camera: 1)
      selected.landmarks = tracks.removeUnused(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    } else {
      selected.finished = ownTracks.observe(frame.features, lens: second.camera.lens, poseID: clone.id, camera: 1)
    }
    _ = visualUpdate.apply(selected, anchorID: nil, to: navigation)
  }
}
