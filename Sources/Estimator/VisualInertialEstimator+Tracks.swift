import SensorData
import CameraGeometry

/// Which tracks an update gets.
extension VisualInertialEstimator {
  /// The frame without the tracks that do not stand still, and without those of which nobody can tell yet; what they told before is forgotten.
  func screened(
    _ frame: CameraFrame, by camera: FilterCamera, _ navigation: InertialNavigation, _ report: inout FrameReport
  ) -> CameraFrame {
    let (outlierIDs, new) = screen.inspect(frame, by: camera, navigation)
    report.tracksCut = new
    guard !outlierIDs.isEmpty else { return frame }
    tracks.discard(outlierIDs)
    var rest = frame
    rest.features.removeAll { outlierIDs.contains($0.featureID) }
    return rest
  }

  /// What the frame tells: sights of landmarks; tracks that ended; and living tracks whose turn it is: those that lose
  /// their oldest sight, and as many of the longest as keep the flow of information even, so that the newest pose is never
  /// left to the inertial unit alone for long. Living ones become landmarks while there is room.
  func tracksToUse(_ ended: [FeatureTrack], _ surplus: Int?, isMoving: Bool, _ navigation: InertialNavigation)
    -> VisualUpdate.Tracks
  {
    var told = VisualUpdate.Tracks(finished: ended, companions: companions)
    guard isMoving else { return told }
    told.landmarks = tracks.take(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    var living = surplus == 0 ? tracks.take(seenFrom: navigation.clones[0].id) : []
    if surplus == 0 { told.finished += ownTracks.take(seenFrom: navigation.clones[0].id) }
    let usable = (ended + living).count { $0.sights.count >= VisualUpdate.fewestObservations }
    let quota = max(tracks.living.count - navigation.landmarks.count, 0) / configuration.windowSize
    living += tracks.removeLongest(quota - usable, fewest: VisualUpdate.fewestObservations)
    // A landmark would remember what slid before the velocity was known: what slides is told by the way (`EpipolarOutlierRejection`).
    let room = navigation.isVelocityKnown ? max(configuration.mostLandmarks - navigation.landmarks.count, 0) : 0
    let long = living.filter { $0.sights.count >= VisualUpdate.fewestObservations }
    let fit = long.filter { !screen.strays.contains($0.featureID) }.prefix(room)
    let staying = Set(fit.map(\.featureID))
    told.staying = Array(fit)
    told.finished += long.filter { !staying.contains($0.featureID) }
    return told
  }

  /// Points whose distances may err in common.
  var companions: Int { tracks.living.count + ownTracks.living.count }

  func giveUp(_ index: Int, _ anchorID: Int, _ navigation: InertialNavigation) {
    let id = navigation.clones[index].id
    navigation.reanchor(from: id, to: anchorID)
    tracks.forget(poseID: id)
    ownTracks.forget(poseID: id)
    navigation.removeClone(at: index)
  }
}
