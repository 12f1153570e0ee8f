internal import CLinearAlgebra
import CameraGeometry
import Geometry
import Inertial
import LeastSquares

/// One filter update from a frame's tracks: ended tracks as MSCKF constraints (null-space projection), persistent
/// points as new landmarks, and observations of landmarks. Each measurement is tested by a chi-square gate.
struct VisualUpdate {
  /// Tracks used for a frame's update.
  struct Tracks {
    /// Used once; the point is not kept.
    var finished: [FeatureTrack] = []
    /// Their points become landmarks.
    var staying: [FeatureTrack] = []
    /// New observations of landmarks.
    var landmarks: [FeatureTrack] = []
    /// Number of points in view.
    var companions = 0
  }

  /// Outcome of the tracks.
  struct Outcome {
    /// Tracks used in the update.
    var used = 0
    /// Tracks rejected by the chi-square gate or by triangulation.
    var rejected = 0
    /// Innovations of all tracks before the gate, capped: the sum of `min(nis / dof, cap)`, and their number.
    var innovation = (sum: 0.0, count: 0)
    /// Updates that failed numerically.
    var failed = 0
    /// Residuals of used tracks, for the track noise.
    var samples: [TrackNoiseLearner.Sample] = []
  }

  /// Fewest observations of a constraint.
  static let fewestObservations = 3
  /// Consecutive rejected observations after which a landmark is removed.
  private static let mostRefusals = 2
  /// Largest relative 1-sigma of a landmark's inverse distance, by its observations and the baseline together. Above
  /// it, products of the errors of inverse distance and displacement are as large as the measured parallax, and a
  /// linear filter keeps them as spurious information.
  private static let largestRelativeSigma = 0.2
  /// Inverse distance that counts as infinity, 1/m.
  static let farthest = 0.02
  /// Most tracks per frame used to estimate the track noise.
  private static let mostSamples = 3

  /// The camera of the clones, and a second one if present.
  var cameras: [FilterCamera]
  /// Most tracks of one update; the longest are taken.
  var mostTracks: Int
  /// Mean number of frames for which a landmark keeps its anchor.
  var framesPerAnchor: Double

  /// Receives the stages of processing.
  var meter: (any StageMeter)?

  /// Buffers reused from frame to frame: rows at the gate, rows of finished and new tracks, and all rows of the update.
  private var candidates = RowStack(), finished = RowStack(), all = RowStack()
  private var nis: [Double] = []
  private var innovation = (sum: 0.0, count: 0)
  /// A normalised innovation squared, per degree of freedom, counts as this at most.
  private static let innovationCap = 10.0

  init(cameras: [FilterCamera], mostTracks: Int, framesPerAnchor: Double) {
    self.cameras = cameras
    self.mostTracks = mostTracks
    self.framesPerAnchor = framesPerAnchor
  }

  /// Sets the observation noise from the track noise model, for frames `spacing` seconds apart.
  mutating func setNoise(_ noise: TrackNoise, spacing: Double) {
    let weight = noise.loneWeight(after: spacing)
    for i in cameras.indices { cameras[i].effectiveNoise = cameras[i].pixelNoise / weight }
  }

  /// Updates the filter with tracks whose observations refer to its clones.
  ///
  /// - Parameter anchorID: the clone that anchors new landmarks which it observed.
  mutating func apply(_ tracks: Tracks, anchorID: Int?, to filter: InertialNavigation) -> Outcome {
    var outcome = Outcome()
    cameras[0] = cameras[0].known(to: filter)
    all.removeAll()
    finished.removeAll()
    innovation = (0, 0)
    let linearised = meter.measure(.linearisation) {
      selected(tracks).map { track, stays in constraint(track, stays: stays, anchorID, tracks.companions, filter) }
    }
    let passed = gate(linearised.map { $0?.constraint.rows }, filter)
    for (linearised, passes) in zip(linearised, passed) where passes {
      guard let (track, constraint, clones, anchor) = linearised else { continue }
      finished.append(constraint.rows, in: filter.covariance)
      if outcome.samples.count < Self.mostSamples {
        outcome.samples += constraint.sample(cameras[0], clones).map { [$0] } ?? []
      }
      guard let anchor, let definition = constraint.definition else { continue }
      filter.addLandmark(
        featureID: track.featureID, anchorID: clones[anchor].id, definition, blocks: constraint.rows.blocks)
    }
    updateLandmarks(tracks.landmarks, filter)
    let used = finished.count + all.count
    outcome.innovation = innovation
    outcome.rejected = linearised.count + tracks.landmarks.count - used
    guard used > 0 else { return outcome }
    if update(filter) { outcome.used = used } else { outcome.failed = 1 }
    filter.removeLandmarks { $0.refusals >= Self.mostRefusals }
    return outcome
  }

  /// Tracks with enough observations, at most `mostTracks`, the longest first, ties by id.
  private func selected(_ tracks: Tracks) -> [(track: FeatureTrack, stays: Bool)] {
    let all = tracks.finished.map { ($0, false) } + tracks.staying.map { ($0, true) }
    let usable = all.filter { $0.0.observations.count >= Self.fewestObservations }
    let sorted = usable.sorted { ($1.0.observations.count, $0.0.featureID) < ($0.0.observations.count, $1.0.featureID) }
    return Array(sorted.prefix(mostTracks))
  }

  /// A track's constraint; `anchor` is the index of the landmark's anchor, nil for points that do not stay.
  private func constraint(
    _ track: FeatureTrack, stays: Bool, _ anchorID: Int?, _ companions: Int, _ filter: InertialNavigation
  ) -> (track: FeatureTrack, constraint: FeatureConstraint, clones: [Clone], anchor: Int?)? {
    let clones = track.observations.compactMap { observation in filter.clones.first { $0.id == observation.poseID } }
    precondition(clones.count == track.observations.count, "observations refer to existing clones")
    let anchor = stays ? clones.lastIndex { $0.id == anchorID } ?? 0 : 0
    let views = zip(track.observations, clones).map { observation, clone in
      CameraView(
        worldFromCamera: clone.worldFromCamera(
          cameras[observation.camera].keptFromCamera, rowDelay: observation.rowDelay), pixel: observation.pixel,
        direction: observation.direction, lens: observation.camera)
    }
    let prior = InverseDistancePrior.handHeld
    let triangulation = Triangulation(
      lenses: cameras.map(\.lens), pixelNoise: cameras[0].effectiveNoise, prior: prior)
    guard
      case .found(let feature, let sigma, _) = triangulation.solve(
        views, anchor: anchor, from: clones[anchor].worldFromCamera.translation)
    else { return nil }
    let secondOrderNoise = SecondOrderTrackNoise(
      feature, sigma: sigma, prior: prior, companions: companions, clones: clones, anchor: anchor,
      usesEstimatedDepth: filter.learning.online, covariance: filter.covariance)
    let rho = feature.inverseDistance, known = Self.largestRelativeSigma * max(rho, Self.farthest)
    let stays = stays && sigma * sigma + rho * rho * secondOrderNoise.relativeBaseline < known * known
    let constraint = FeatureConstraint(
      observations: track.observations, clones: clones, anchor: anchor,
      point: AnchoredPoint(feature, anchor: clones[anchor].worldFromCamera), secondOrderNoise: secondOrderNoise,
      prior: stays ? .landmark : nil, cameras: cameras)
    return constraint.map { (track, $0, clones, stays ? anchor : nil) }
  }

  /// Stacks the observations of landmarks that pass the gate; counts the rejections of the others.
  private mutating func updateLandmarks(_ tracks: [FeatureTrack], _ filter: InertialNavigation) {
    let indices = tracks.map { track in filter.landmarks.firstIndex { $0.featureID == track.featureID } }
    let rows = meter.measure(.linearisation) {
      zip(tracks, indices).map { track, index in
        index.flatMap { observation(track, of: filter.landmarks[$0], filter) }
      }
    }
    for ((index, rows), passes) in zip(zip(indices, rows), gate(rows, filter)) {
      guard let index else { continue }
      filter.landmarks[index].refusals = passes ? 0 : filter.landmarks[index].refusals + 1
      if passes, let rows { all.append(rows, in: filter.covariance) }
    }
  }

  private func observation(_ track: FeatureTrack, of landmark: Landmark, _ filter: InertialNavigation)
    -> LinearisedRows?
  {
    guard let seen = track.observations.last, let clone = filter.clones.last, clone.id == seen.poseID,
      let anchor = filter.clones.first(where: { $0.id == landmark.anchorID }),
      let observation = ReprojectionJacobian(
        seen.pixel, rowDelay: seen.rowDelay, from: clone, of: landmark.point, anchor: anchor,
        camera: cameras[seen.camera])
    else { return nil }
    return observation.rows(
      clone: clone, anchor: anchor, landmark: landmark, repetitions: Double(filter.landmarks.count) * framesPerAnchor,
      filter.covariance)
  }

  /// Chi-square gate: which measurements, each by itself, agree with the state at 95 %; those that could not be
  /// linearised do not.
  private mutating func gate(_ measurements: [LinearisedRows?], _ filter: InertialNavigation) -> [Bool] {
    candidates.removeAll()
    for case let rows? in measurements { candidates.append(rows, in: filter.covariance) }
    meter.measure(.gates) { filter.covariance.normalizedInnovations(candidates, into: &nis) }
    var next = 0
    return measurements.map { rows in
      innovation.count += 1
      guard let rows else {
        innovation.sum += Self.innovationCap
        return false
      }
      defer { next += 1 }
      innovation.sum += min(nis[next] / Double(max(rows.residual.count, 1)), Self.innovationCap)
      return nis[next] <= ChiSquared.gate95(rows.residual.count)
    }
  }

  /// Compresses the rows over clones (and the lens) by QR if there are more rows than columns, and updates once with
  /// all rows.
  private mutating func update(_ filter: InertialNavigation) -> Bool {
    guard meter.measure(.compression, { candidates.compress(finished, in: filter.covariance) }) else { return false }
    all.append(candidates)
    filter.observer?.willUpdate(with: all, filter)
    return meter.measure(.update) {
      guard case .accepted(_, let correction) = filter.covariance.update(all) else { return false }
      filter.apply(correction)
      filter.relinearizeUntilConverged()
      return true
    }
  }
}

/// Stack of linearised measurements in the layout of the kernels, each over the covariance columns it involves. Noise
/// has unit variance. Reuse after `removeAll` does not allocate.
package struct RowStack: Equatable {
  /// Number of rows and of columns of each part.
  private var heights: [Int32] = [], widths: [Int32] = []
  /// Covariance rows of the columns, of all parts.
  private var columns: [Int32] = []
  /// rows x columns of each part, row-major.
  private var jacobian: [Double] = []
  /// Measured minus predicted, over the noise.
  package private(set) var residual: [Double] = []

  /// Empty.
  package init() {}

  /// Number of parts.
  package var count: Int { heights.count }
  /// Empties it; keeps the memory.
  mutating func removeAll() {
    heights.removeAll(keepingCapacity: true)
    widths.removeAll(keepingCapacity: true)
    columns.removeAll(keepingCapacity: true)
    jacobian.removeAll(keepingCapacity: true)
    residual.removeAll(keepingCapacity: true)
  }

  /// Appends rows as one part; they refer to the covariance's present layout.
  package mutating func append(_ rows: LinearisedRows, in covariance: ErrorCovariance) {
    var width = 0
    for block in rows.blocks {
      let offset = covariance.offset(of: block), size = covariance.size(of: block)
      for j in offset..<offset + size { columns.append(Int32(j)) }
      width += size
    }
    precondition(rows.jacobian.count == rows.residual.count * width, "shape of a Jacobian")
    heights.append(Int32(rows.residual.count))
    widths.append(Int32(width))
    jacobian.append(contentsOf: rows.jacobian)
    residual.append(contentsOf: rows.residual)
  }

  /// Appends all parts of another stack.
  mutating func append(_ other: RowStack) {
    heights.append(contentsOf: other.heights)
    widths.append(contentsOf: other.widths)
    columns.append(contentsOf: other.columns)
    jacobian.append(contentsOf: other.jacobian)
    residual.append(contentsOf: other.residual)
  }

  /// Every row: its columns, their coefficients and the residual.
  package func forEachRow(_ body: (ArraySlice<Int32>, ArraySlice<Double>, Double) -> Void) {
    var (column, coefficient, row) = (0, 0, 0)
    for (height, width) in zip(heights, widths) {
      for _ in 0..<height {
        body(
          columns[column..<column + Int(width)], jacobian[coefficient..<coefficient + Int(width)], residual[row])
        coefficient += Int(width)
        row += 1
      }
      column += Int(width)
    }
  }

  /// Passes all parts to a kernel.
  func withStack<Result>(_ body: (UnsafePointer<fuse_la_stack>) -> Result) -> Result {
    heights.withUnsafeBufferPointer { heights in
      widths.withUnsafeBufferPointer { widths in
        columns.withUnsafeBufferPointer { columns in
          jacobian.withUnsafeBufferPointer { jacobian in
            residual.withUnsafeBufferPointer { residual in
              var stack = fuse_la_stack(
                count: Int32(heights.count), rows: heights.baseAddress, widths: widths.baseAddress,
                columns: columns.baseAddress, H: jacobian.baseAddress, r: residual.baseAddress)
              return body(&stack)
            }
          }
        }
      }
    }
  }

  /// Makes this equivalent to `other` by QR, with at most as many rows as there are different columns; a copy of
  /// `other` if it has no more than that.
  ///
  /// - Returns: false when a number was not finite.
  package mutating func compress(_ other: RowStack, in covariance: ErrorCovariance) -> Bool {
    removeAll()
    guard other.count > 0 else { return true }
    let most = min(covariance.dimension, other.columns.count)
    columns.append(contentsOf: repeatElement(0, count: most))
    jacobian.append(contentsOf: repeatElement(0, count: most * most))
    residual.append(contentsOf: repeatElement(0, count: most))
    var (rows, width): (Int32, Int32) = (0, 0)
    let status = other.withStack {
      fuse_la_compress(
        $0, Int32(covariance.dimension), covariance.workspace, &columns, &jacobian, &residual, &rows, &width)
    }
    guard Int(status) == FUSE_LA_OK else {
      removeAll()
      if Int(status) == FUSE_LA_REJECTED { append(other) }
      return Int(status) == FUSE_LA_REJECTED
    }
    heights.append(rows)
    widths.append(width)
    columns.removeLast(most - Int(width))
    jacobian.removeLast(most * most - Int(rows * width))
    residual.removeLast(most - Int(rows))
    return true
  }
}

/// A linearised measurement `residual = H dx + n` over a few blocks of the error state; n has unit variance.
package struct LinearisedRows {
  /// The blocks that the columns belong to, each once.
  package var blocks: [ErrorCovariance.Block]
  /// rows x sum of the blocks' sizes, row-major.
  package var jacobian: [Double]
  /// Measured minus predicted, over the noise.
  package var residual: [Double]

  /// Rows from their parts.
  package init(blocks: [ErrorCovariance.Block], jacobian: [Double], residual: [Double]) {
    precondition(residual.isEmpty || jacobian.count % residual.count == 0, "shape of a Jacobian")
    self.blocks = blocks
    self.jacobian = jacobian
    self.residual = residual
  }

  /// Number of columns.
  package var width: Int { residual.isEmpty ? 0 : jacobian.count / residual.count }
}

/// Observes the filter's linearised system, for tests of observability. An observer changes no result.
package protocol UpdateObserver: AnyObject {
  /// The navigation state was propagated from one first estimate to another by a transition, 15 x 15, row-major.
  func propagated(_ transition: [Double], from before: InertialState, to after: InertialState)
  /// The filter is about to be updated with these rows.
  func willUpdate(with rows: RowStack, _ navigation: InertialNavigation)
  /// A landmark was re-anchored: Jacobian of its new error by the errors of some blocks, including its old one.
  func reanchored(_ jacobian: [(ErrorCovariance.Block, [Double])], in navigation: InertialNavigation)
}
