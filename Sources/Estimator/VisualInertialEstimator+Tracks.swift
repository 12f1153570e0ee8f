import CameraGeometry
import SensorData

/// Selection of tracks for an update.
extension VisualInertialEstimator {
  /// The frame without outliers and withheld tracks; their earlier observations are discarded.
  func withoutOutliers(
    _ frame: CameraFrame, by camera: FilterCamera, _ navigation: InertialNavigation, _ report: inout FrameReport
  ) -> CameraFrame {
    let (outlierIDs, new) = outlierRejection.inspect(frame, by: camera, navigation)
    report.tracksOutlying = new
    guard !outlierIDs.isEmpty else { return frame }
    tracks.discard(outlierIDs)
    var kept = frame
    kept.features.removeAll { outlierIDs.contains($0.featureID) }
    return kept
  }

  /// Tracks for the update: observations of landmarks; ended tracks; and living tracks that are due. Due are those that
  /// lose their oldest observation, and as many of the longest as keep the flow of information even, so that the newest
  /// pose is never long without a visual update. Living ones become landmarks up to `mostLandmarks`.
  func tracksToUse(_ ended: [FeatureTrack], _ surplus: Int?, isMoving: Bool, _ navigation: InertialNavigation)
    -> VisualUpdate.Tracks
  {
    var selected = VisualUpdate.Tracks(finished: ended, companions: companions)
    guard isMoving else { return selected }
    selected.landmarks = tracks.removeUnused(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    var living = surplus == 0 ? tracks.removeUnused(seenFrom: navigation.clones[0].id) : []
    if surplus == 0 { selected.finished += ownTracks.removeUnused(seenFrom: navigation.clones[0].id) }
    let usable = (ended + living).count { $0.observations.count >= VisualUpdate.fewestObservations }
    let quota = max(tracks.living.count - navigation.landmarks.count, 0) / configuration.windowSize
    living += tracks.removeLongest(quota - usable, fewest: VisualUpdate.fewestObservations)
    // Not before the velocity is known: a landmark would keep the information of a sliding point, which is detected by
    // the displacement (`EpipolarOutlierRejection`).
    let capacity = navigation.isVelocityKnown ? max(configuration.mostLandmarks - navigation.landmarks.count, 0) : 0
    let long = living.filter { $0.observations.count >= VisualUpdate.fewestObservations }
    let fit = long.filter { !outlierRejection.minorityTracks.contains($0.featureID) }.prefix(capacity)
    let staying = Set(fit.map(\.featureID))
    selected.staying = Array(fit)
    selected.finished += long.filter { !staying.contains($0.featureID) }
    return selected
  }

  /// Number of points whose distances may have a common error.
  var companions: Int { tracks.living.count + ownTracks.living.count }

  func marginalise(_ index: Int, _ anchorID: Int, _ navigation: InertialNavigation) {
    let id = navigation.clones[index].id
    navigation.reanchor(from: id, to: anchorID)
    tracks.forget(poseID: id)
    ownTracks.forget(poseID: id)
    navigation.removeClone(at: index)
  }
}
