import SensorData
import CameraGeometry

/// A second camera.
extension VisualInertialEstimator {
  /// Takes a frame of the second camera: what it saw at the moment of a frame of the first. Frames of other moments, and those
  /// of a device at rest, tell nothing.
  package func join(_ frame: CameraFrame) {
    early = nil
    guard let second, let navigation else { return }
    let time = frame.timestamp.advanced(bySeconds: second.timeOffset)
    guard let clone = navigation.clones.last, abs(clone.timestamp.seconds(since: time)) <= SecondCamera.tolerance else {
      if time > navigation.time { early = frame }
      return
    }
    var told = VisualUpdate.Tracks(companions: companions)
    if second.sharesIDs {
      tracks.join(frame.features, lens: second.camera.lens, poseID: clone.id, camera: 1)
      told.landmarks = tracks.take(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    } else {
      told.finished = ownTracks.observe(frame.features, lens: second.camera.lens, poseID: clone.id, camera: 1)
    }
    _ = visualUpdate.apply(told, anchorID: nil, to: navigation)
  }
}
