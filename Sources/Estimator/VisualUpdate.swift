import Geometry
import CameraGeometry

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
    /// What used tracks leave unexplained.
    var samples: [TrackNoiseLearner.Sample] = []
  }

  /// Fewest sights that make a track worth a constraint.
  static let fewestObservations = 3
  /// So many refused sights in a row, and a landmark is given up.
  static let mostRefusals = 2
  /// A point stays only where its inverse distance is known to this share, 1-sigma, by its sights and by the baseline together: below
  /// that, products of its error and the path's are as large as what a sight measures, and a linear filter remembers them as
  /// knowledge.
  static let knownShare = 0.2
  /// Points beyond this are as good as infinitely far, 1/m.
  static let farthest = 0.02
  /// Tracks of a frame from which is learnt how tracks err.
  static let mostSamples = 3

  /// The camera whose poses are kept, and a second one beside it if there is one.
  var cameras: [FilterCamera]
  /// Most tracks of one update; the longest are taken.
  var mostTracks: Int
  /// For how many frames a landmark keeps its anchor.
  var framesPerAnchor: Double

  /// Told of the stages of the work.
  var meter: (any StageMeter)?

  /// Kept from frame to frame for their memory: rows at the gate, those of finished and new tracks, and all that goes in.
  private var candidates = RowStack(), finished = RowStack(), all = RowStack()
  private var nis: [Double] = []

  init(cameras: [FilterCamera], mostTracks: Int, framesPerAnchor: Double) {
    self.cameras = cameras
    self.mostTracks = mostTracks
    self.framesPerAnchor = framesPerAnchor
  }

  /// Takes on what the tracks have told of how they err, frames being `spacing` seconds apart.
  mutating func setNoise(_ noise: TrackNoise, spacing: Double) {
    let weight = noise.loneWeight(after: spacing)
    for i in cameras.indices { cameras[i].effectiveNoise = cameras[i].pixelNoise / weight }
  }

  /// Updates the filter with tracks whose sights refer to its clones.
  ///
  /// - Parameter anchorID: the clone in whose camera new landmarks are told, where they were seen from there.
  mutating func apply(_ tracks: Tracks, anchorID: Int?, to filter: InertialNavigation) -> Outcome {
    var outcome = Outcome()
    cameras[0] = cameras[0].known(to: filter)
    all.removeAll()
    finished.removeAll()
    let made = meter.measure(.linearisation) {
      chosen(tracks).map { track, stays in constraint(track, stays: stays, anchorID, tracks.companions, filter) }
    }
    let passed = gate(made.map { $0?.constraint.rows }, filter)
    for (made, passes) in zip(made, passed) where passes {
      guard let (track, constraint, clones, anchor) = made else { continue }
      finished.append(constraint.rows, in: filter.covariance)
      if outcome.samples.count < Self.mostSamples {
        outcome.samples += constraint.sample(cameras[0], clones).map { [$0] } ?? []
      }
      guard let anchor, let definition = constraint.definition else { continue }
      filter.addLandmark(
        featureID: track.featureID, anchorID: clones[anchor].id, definition, blocks: constraint.rows.blocks)
    }
    see(tracks.landmarks, filter)
    let used = finished.count + all.count
    outcome.rejected = made.count + tracks.landmarks.count - used
    guard used > 0 else { return outcome }
    if update(filter) { outcome.used = used } else { outcome.failed = 1 }
    filter.removeLandmarks { $0.refusals >= Self.mostRefusals }
    return outcome
  }

  /// Tracks with enough sights, at most `mostTracks`, the longest first, ties by id.
  private func chosen(_ tracks: Tracks) -> [(track: FeatureTrack, stays: Bool)] {
    let all = tracks.finished.map { ($0, false) } + tracks.staying.map { ($0, true) }
    let usable = all.filter { $0.0.sights.count >= Self.fewestObservations }
    let sorted = usable.sorted { ($1.0.sights.count, $0.0.featureID) < ($0.0.sights.count, $1.0.featureID) }
    return Array(sorted.prefix(mostTracks))
  }

  /// A track's constraint; `anchor` is the index of the clone that a landmark is told from, nil for points that do not stay.
  private func constraint(
    _ track: FeatureTrack, stays: Bool, _ anchorID: Int?, _ companions: Int, _ filter: InertialNavigation
  ) -> (track: FeatureTrack, constraint: FeatureConstraint, clones: [Clone], anchor: Int?)? {
    let clones = track.sights.compactMap { sight in filter.clones.first { $0.id == sight.poseID } }
    precondition(clones.count == track.sights.count, "sights refer to living clones")
    let anchor = stays ? clones.lastIndex { $0.id == anchorID } ?? 0 : 0
    let views = zip(track.sights, clones).map { sight, clone in
      CameraView(
        worldFromCamera: clone.worldFromCamera * cameras[sight.camera].keptFromCamera, pixel: sight.pixel,
        direction: sight.direction, lens: sight.camera)
    }
    let prior = InverseDistancePrior.handHeld
    let triangulation = Triangulation(
      lenses: cameras.map(\.lens), pixelNoise: cameras[0].effectiveNoise, prior: prior)
    guard
      case .found(let feature, let sigma, _) = triangulation.solve(
        views, anchor: anchor, from: clones[anchor].worldFromCamera.translation)
    else { return nil }
    let doubt = SecondOrderTrackNoise(
      feature, sigma: sigma, prior: prior, companions: companions, clones: clones, anchor: anchor,
      trustsClosedForm: filter.learning.online, covariance: filter.covariance)
    let rho = feature.inverseDistance, known = Self.knownShare * max(rho, Self.farthest)
    let stays = stays && sigma * sigma + rho * rho * doubt.relativeBaseline < known * known
    let constraint = FeatureConstraint(
      sights: track.sights, clones: clones, anchor: anchor,
      point: AnchoredPoint(feature, anchor: clones[anchor].worldFromCamera), doubt: doubt,
      prior: stays ? .landmark : nil, cameras: cameras)
    return constraint.map { (track, $0, clones, stays ? anchor : nil) }
  }

  /// Takes in the sights of landmarks that pass the gate; counts the refusals of the others.
  private mutating func see(_ tracks: [FeatureTrack], _ filter: InertialNavigation) {
    let indices = tracks.map { track in filter.landmarks.firstIndex { $0.featureID == track.featureID } }
    let rows = meter.measure(.linearisation) {
      zip(tracks, indices).map { track, index in index.flatMap { sight(track, of: filter.landmarks[$0], filter) } }
    }
    for ((index, rows), passes) in zip(zip(indices, rows), gate(rows, filter)) {
      guard let index else { continue }
      filter.landmarks[index].refusals = passes ? 0 : filter.landmarks[index].refusals + 1
      if passes, let rows { all.append(rows, in: filter.covariance) }
    }
  }

  private func sight(_ track: FeatureTrack, of landmark: Landmark, _ filter: InertialNavigation) -> LinearisedRows? {
    guard let seen = track.sights.last, let clone = filter.clones.last, clone.id == seen.poseID,
      let anchor = filter.clones.first(where: { $0.id == landmark.anchorID }),
      let sight = ReprojectionJacobian(
        seen.pixel, from: clone, of: landmark.point, anchor: anchor, camera: cameras[seen.camera])
    else { return nil }
    return sight.rows(
      clone: clone, anchor: anchor, landmark: landmark, repetitions: Double(filter.landmarks.count) * framesPerAnchor,
      filter.covariance)
  }

  /// Which of several measurements, each by itself, agree with the state; what could not be linearised does not.
  private mutating func gate(_ measurements: [LinearisedRows?], _ filter: InertialNavigation) -> [Bool] {
    candidates.removeAll()
    for case let rows? in measurements { candidates.append(rows, in: filter.covariance) }
    meter.measure(.gates) { filter.covariance.normalizedInnovations(candidates, into: &nis) }
    var next = 0
    return measurements.map { rows in
      guard let rows else { return false }
      defer { next += 1 }
      return nis[next] <= ChiSquaredQuantile.quantile95(rows.residual.count)
    }
  }

  /// Compresses by QR what involves clones (and the lens) only when there are more rows than columns, and updates once with everything.
  private mutating func update(_ filter: InertialNavigation) -> Bool {
    guard meter.measure(.compression, { candidates.compress(finished, in: filter.covariance) }) else { return false }
    all.append(candidates)
    filter.observer?.willUpdate(with: all, filter)
    return meter.measure(.update) {
      guard case .accepted(_, let correction) = filter.covariance.update(all) else { return false }
      filter.apply(correction)
      filter.relinearizeUntilSettled()
      return true
    }
  }
}
