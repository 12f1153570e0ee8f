import Geometry
import Vision

/// Turns a frame's tracks into one update of the filter: points that will not be seen again are eliminated (multi-state
/// constraint Kalman filter), points that stay become landmarks, and landmarks are seen.
struct VisualUpdate {
  /// What a frame tells.
  struct Tracks {
    /// Used once, without keeping the point.
    var finished: [FeatureTrack] = []
    /// Their points become landmarks.
    var staying: [FeatureTrack] = []
    /// New sights of landmarks.
    var landmarks: [FeatureTrack] = []
    /// Number of points in view.
    var companions = 0
  }

  /// What became of the tracks.
  struct Outcome {
    /// Tracks whose constraint went into the update.
    var used = 0
    /// Tracks refused by the gate, or whose sights contradict each other.
    var rejected = 0
    /// Updates that were not possible numerically.
    var failed = 0
  }

  /// Fewest sights that make a track worth a constraint.
  static let fewestSights = 3
  /// So many refused sights in a row, and a landmark is given up.
  static let mostRefusals = 2

  var camera: FilterCamera
  /// Most tracks of one update; the longest are taken.
  var mostTracks: Int
  /// For how many frames a landmark keeps its anchor.
  var framesPerAnchor: Double

  /// Updates the filter with tracks whose sights refer to its clones.
  ///
  /// - Parameter anchorID: the clone in whose camera new landmarks are told, where they were seen from there.
  func apply(_ tracks: Tracks, anchorID: Int?, to filter: InertialNavigation) -> Outcome {
    var outcome = Outcome()
    var constraints: [LinearisedRows] = []
    for (track, stays) in chosen(tracks) {
      let made = constraint(track, stays: stays, anchorID, tracks.companions, filter)
      guard let (constraint, clones, anchor) = made, passesGate(constraint.rows, filter) else {
        outcome.rejected += 1
        continue
      }
      constraints.append(constraint.rows)
      guard stays, let definition = constraint.definition else { continue }
      filter.addLandmark(
        featureID: track.featureID, anchorID: clones[anchor].id, definition, clones: clones.map(\.block))
    }
    let seen = sights(tracks.landmarks, filter)
    outcome.rejected += tracks.landmarks.count - seen.count
    guard !constraints.isEmpty || !seen.isEmpty else { return outcome }
    if update(constraints, seen, filter) { outcome.used = constraints.count + seen.count } else { outcome.failed = 1 }
    filter.removeLandmarks { $0.refusals >= Self.mostRefusals }
    return outcome
  }

  /// Tracks with enough sights, at most `mostTracks`, the longest first, ties by id.
  private func chosen(_ tracks: Tracks) -> [(track: FeatureTrack, stays: Bool)] {
    let all = tracks.finished.map { ($0, false) } + tracks.staying.map { ($0, true) }
    let usable = all.filter { $0.0.sights.count >= Self.fewestSights }
    let sorted = usable.sorted { ($1.0.sights.count, $0.0.featureID) < ($0.0.sights.count, $1.0.featureID) }
    return Array(sorted.prefix(mostTracks))
  }

  private func constraint(
    _ track: FeatureTrack, stays: Bool, _ anchorID: Int?, _ companions: Int, _ filter: InertialNavigation
  ) -> (FeatureConstraint, clones: [Clone], anchor: Int)? {
    let clones = track.sights.compactMap { sight in filter.clones.first { $0.id == sight.poseID } }
    precondition(clones.count == track.sights.count, "sights refer to living clones")
    let anchor = stays ? clones.lastIndex { $0.id == anchorID } ?? 0 : 0
    let views = zip(track.sights, clones).map { sight, clone in
      CameraView(
        worldFromCamera: clone.worldFromIMU * camera.imuFromCamera, pixel: sight.pixel, direction: sight.direction)
    }
    let prior = InverseDistancePrior.handHeld
    let triangulation = Triangulation(lens: camera.lens, pixelNoise: camera.pixelNoise, prior: prior)
    guard case .found(let feature, let sigma, _) = triangulation.solve(views, anchor: anchor) else { return nil }
    let doubt = DistanceDoubt(
      feature, sigma: sigma, prior: prior, companions: companions, clones: clones, anchor: anchor,
      covariance: filter.covariance)
    let constraint = FeatureConstraint(
      sights: track.sights, clones: clones, anchor: anchor,
      point: AnchoredPoint(feature, anchor: views[anchor].worldFromCamera), doubt: doubt,
      prior: stays ? .landmark : nil, camera: camera)
    return constraint.map { ($0, clones, anchor) }
  }

  /// The linearised sights of landmarks that pass the gate; counts the refusals of the others.
  private func sights(_ tracks: [FeatureTrack], _ filter: InertialNavigation) -> [LinearisedRows] {
    tracks.compactMap { track in
      guard let index = filter.landmarks.firstIndex(where: { $0.featureID == track.featureID }) else { return nil }
      let rows = sight(track, of: filter.landmarks[index], filter)
      let passed = rows.map { passesGate($0, filter) } ?? false
      filter.landmarks[index].refusals = passed ? 0 : filter.landmarks[index].refusals + 1
      return passed ? rows : nil
    }
  }

  private func sight(_ track: FeatureTrack, of landmark: Landmark, _ filter: InertialNavigation) -> LinearisedRows? {
    guard let seen = track.sights.last, let clone = filter.clones.last, clone.id == seen.poseID,
      let anchor = filter.clones.first(where: { $0.id == landmark.anchorID }),
      let sight = LinearisedSight(seen.pixel, from: clone, of: landmark.point, anchor: anchor, camera: camera)
    else { return nil }
    return sight.rows(
      clone: clone, anchor: anchor, landmark: landmark, repetitions: Double(filter.landmarks.count) * framesPerAnchor,
      filter.covariance)
  }

  private func passesGate(_ rows: LinearisedRows, _ filter: InertialNavigation) -> Bool {
    let nis = filter.covariance.normalizedInnovation(
      rows.involved(filter.covariance), residual: rows.residual, noise: [])
    return nis.map { $0 <= ChiSquare.quantile95(rows.residual.count) } ?? false
  }

  /// Stacks, compresses by QR what involves clones only when there are more rows than columns, and updates once.
  private func update(_ constraints: [LinearisedRows], _ seen: [LinearisedRows], _ filter: InertialNavigation) -> Bool {
    var parts = seen
    if !constraints.isEmpty {
      guard let compressed = LinearisedRows.stacked(constraints, in: filter.covariance).compressed() else {
        return false
      }
      parts.append(compressed)
    }
    let rows = LinearisedRows.stacked(parts, in: filter.covariance)
    filter.observer?.willUpdate(with: rows, filter)
    let result = filter.covariance.update(
      rows.involved(filter.covariance), residual: rows.residual, noise: [], gate: nil)
    guard case .accepted(_, let correction) = result else { return false }
    filter.apply(correction)
    filter.relinearizeUntilSettled()
    return true
  }
}
