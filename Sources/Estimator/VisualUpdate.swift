internal import CLinearAlgebra
import Geometry
import Vision

/// Turns finished feature tracks into one update of the filter (multi-state constraint Kalman filter).
struct VisualUpdate {
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

  var camera: FilterCamera
  /// Most tracks of one update; the longest are taken.
  var mostTracks: Int

  /// Updates the filter with tracks whose sights refer to its clones; `companions` is the number of points in view.
  func apply(_ tracks: [FeatureTrack], companions: Int, to filter: InertialNavigation) -> Outcome {
    var outcome = Outcome()
    let constraints = chosen(tracks).compactMap { track -> FeatureConstraint? in
      guard let constraint = constraint(track, companions, filter), passesGate(constraint, filter) else {
        outcome.rejected += 1
        return nil
      }
      return constraint
    }
    guard !constraints.isEmpty else { return outcome }
    if update(constraints, filter) { outcome.used = constraints.count } else { outcome.failed = 1 }
    return outcome
  }

  /// Tracks with enough sights, at most `mostTracks`, the longest first, ties by id.
  private func chosen(_ tracks: [FeatureTrack]) -> [FeatureTrack] {
    let usable = tracks.filter { $0.sights.count >= Self.fewestSights }
    let sorted = usable.sorted { ($1.sights.count, $0.featureID) < ($0.sights.count, $1.featureID) }
    return Array(sorted.prefix(mostTracks))
  }

  private func constraint(_ track: FeatureTrack, _ companions: Int, _ filter: InertialNavigation) -> FeatureConstraint?
  {
    let clones = track.sights.compactMap { sight in filter.clones.first { $0.id == sight.poseID } }
    precondition(clones.count == track.sights.count, "sights refer to living clones")
    let views = zip(track.sights, clones).map { sight, clone in
      CameraView(
        worldFromCamera: clone.worldFromIMU * camera.imuFromCamera, pixel: sight.pixel, direction: sight.direction)
    }
    let prior = InverseDistancePrior.handHeld
    let triangulation = Triangulation(lens: camera.lens, pixelNoise: camera.pixelNoise, prior: prior)
    guard case .found(let feature, let sigma, _) = triangulation.solve(views, anchor: 0) else { return nil }
    let doubt = DistanceDoubt(
      feature, sigma: sigma, prior: prior, companions: companions, clones: clones, covariance: filter.covariance)
    return FeatureConstraint(sights: track.sights, clones: clones, feature: feature, doubt: doubt, camera: camera)
  }

  private func passesGate(_ constraint: FeatureConstraint, _ filter: InertialNavigation) -> Bool {
    let involved = ErrorCovariance.Involved(
      columns: columns(constraint.cloneIDs, filter), matrix: constraint.jacobian)
    guard let nis = filter.covariance.normalizedInnovation(involved, residual: constraint.residual, noise: [])
    else { return false }
    return nis <= ChiSquare.quantile95(constraint.rows)
  }

  /// Stacks, compresses by QR when there are more rows than columns, and updates.
  private func update(_ constraints: [FeatureConstraint], _ filter: InertialNavigation) -> Bool {
    let ids = filter.clones.map(\.id).filter { id in constraints.contains { $0.cloneIDs.contains(id) } }
    let width = Clone.errorSize * ids.count
    let total = constraints.reduce(0) { $0 + $1.rows }
    var H = [Double](repeating: 0, count: total * width)
    var r: [Double] = []
    r.reserveCapacity(total)
    for constraint in constraints {
      let top = r.count, narrow = Clone.errorSize * constraint.cloneIDs.count
      for (k, id) in constraint.cloneIDs.enumerated() {
        let left = Clone.errorSize * ids.firstIndex(of: id)!
        for row in 0..<constraint.rows {
          for j in 0..<Clone.errorSize {
            H[(top + row) * width + left + j] = constraint.jacobian[row * narrow + Clone.errorSize * k + j]
          }
        }
      }
      r += constraint.residual
    }
    guard Int(fuse_la_compress(&H, Int32(total), Int32(width), &r)) == FUSE_LA_OK else { return false }
    let rows = min(total, width)
    let involved = ErrorCovariance.Involved(columns: columns(ids, filter), matrix: Array(H[..<(rows * width)]))
    let result = filter.covariance.update(involved, residual: Array(r[..<rows]), noise: [], gate: nil)
    guard case .accepted(_, let correction) = result else { return false }
    filter.apply(correction)
    filter.relinearizeUntilSettled()
    return true
  }

  private func columns(_ cloneIDs: [Int], _ filter: InertialNavigation) -> [Int32] {
    cloneIDs.flatMap { id -> [Int32] in
      let clone = filter.clones.first { $0.id == id }!
      let offset = filter.covariance.offset(of: clone.block)
      return (0..<Clone.errorSize).map { Int32(offset + $0) }
    }
  }
}
