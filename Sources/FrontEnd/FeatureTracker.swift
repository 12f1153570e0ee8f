import CameraGeometry
import Geometry
import Images
import SensorData

/// Tracks corners of one camera from frame to frame under stable ids, and starts new ones where the image has none. A
/// point that returns into view keeps its id.
///
/// Per frame: predict each patch (the gyroscope's rotation through the lens, plus the last residual step) and compare
/// it; search for those not found; reject those that move unlike static points; recover departed ones; drop the younger
/// of two that met. Then empty cells of a grid get their strongest corners. Deterministic in images and rotations.
final class FeatureTracker {
  /// One tracked feature.
  struct Track {
    /// Its identity.
    var id: Int64
    /// Pose of its patch in the newest frame.
    var warp: PatchWarp
    /// Slot of its patch.
    var slot: Int32
    /// Frames that contain it.
    var length: Int
    /// Last displacement beyond the rotation, pixels: due to the camera's translation.
    var drift: SIMD2<Float>
    /// Frames since its patch was recognised.
    var unseen = 0
    /// Consecutive frames in which it moved unlike a static point.
    var outlierCount = 0

    /// Position in the newest frame, raw pixels.
    var position: SIMD2<Float> { warp.position }
  }

  /// The living tracks, sorted by id.
  var tracks: [Track] = []
  /// How many of them began in the newest frame.
  private(set) var begun = 0
  /// Tracks that ended so far, by reason; departed ones count as `leftImage` until they return.
  var ends: [TrackEnd: Int] { finalEnds.merging(departed.count > 0 ? [.leftImage: departed.count] : [:]) { $0 + $1 } }
  private var finalEnds: [TrackEnd: Int] = [:]
  /// Departed tracks recovered so far.
  var returned = 0
  /// Fraction of the grid's cells that have a track.
  var coverage: Double { grid.coverage(tracks.map(\.position)) }
  /// The newest frame; nil before the first one and after a reset.
  private(set) var image: PyramidImage?
  let configuration: TrackingConfiguration
  let lens: LensModel
  let grid: CornerGrid
  let consensus: RotationConsensus
  /// The departed tracks.
  var departed = DepartedTracks()
  /// The patches of living and departed tracks.
  var patches = PatchStore()
  private var nextID: Int64 = 1

  /// Largest rotation extrapolated, radians.
  private static let largestRotation = 1.0

  /// A tracker for images of the camera's size.
  ///
  /// - Parameter mask: white where corners are wanted; nil: everywhere.
  init(_ camera: CameraCalibration, mask: GrayImage?, configuration: TrackingConfiguration) {
    self.configuration = configuration
    lens = LensModel(camera)
    grid = CornerGrid(
      width: camera.width, height: camera.height, mask: mask, features: configuration.features,
      spacing: configuration.spacing * Double(camera.width) / 640,
      weakest: [configuration.weakestCorner, configuration.weakestWhereScarce],
      horizons: configuration.horizons)
    consensus = RotationConsensus(tolerance: configuration.epipolarDistance / lens.focalLength)
  }

  /// Processes the next frame; `tracks` are then those in it.
  ///
  /// - Parameters:
  ///   - rotation: the camera now from the camera at the previous frame; nil if unknown.
  ///   - isRefilled: whether new corners are started.
  ///   - noise: of a pixel, 1-sigma, grey levels.
  ///   - area: where the camera ever received light.
  func process(_ next: PyramidImage, rotation: Rotation?, isRefilled: Bool, noise: Float, area: LitArea) {
    if let image, !tracks.isEmpty {
      track(from: image, to: next, rotation: rotation, area: area)
    } else {
      rotateDeparted(by: rotation)
    }
    image = next
    begun = 0
    if isRefilled { recoverDeparted(in: next) }
    thin()
    guard isRefilled else { return }
    let old = tracks.filter { $0.length > 2 }
    let fresh = grid.fresh(in: next, beside: tracks.map(\.position), noise: noise) { position in
      guard area.contains(position) else { return 0 }
      let drift = Self.drift(of: old, near: position)
      return configuration.horizons.first { frames in
        predictedPosition(of: position, drift: drift, rotation: rotation, in: frames)
          .map { grid.isInside($0) && area.contains($0) }
          ?? false
      } ?? 0
    }
    for (position, slot) in zip(fresh, patches.sample(fresh, in: next)) {
      guard let slot else { continue }
      let drift = Self.drift(of: old, near: position)
      tracks.append(Track(id: nextID, warp: PatchWarp(at: position), slot: slot, length: 1, drift: drift))
      nextID += 1
      begun += 1
    }
  }

  /// Drift of the track nearest to a position; zero without any.
  static func drift(of tracks: [Track], near position: SIMD2<Float>) -> SIMD2<Float> {
    func distance(_ track: Track) -> Float { ((track.position - position) * (track.position - position)).sum() }
    return tracks.min { distance($0) < distance($1) }?.drift ?? .zero
  }

  /// Position after some frames at constant rotation rate and drift; nil where the lens cannot project it.
  private func predictedPosition(
    of position: SIMD2<Float>, drift: SIMD2<Float>, rotation: Rotation?, in frames: Int
  ) -> SIMD2<Float>? {
    let translation = Float(frames) * drift
    guard let rotation, let direction = lens.direction(of: position) else { return position + translation }
    let step = rotation.log
    let steps = min(Double(frames), Self.largestRotation / max(step.norm, 1e-9))
    return lens.project(Rotation.exp(steps * step) * direction).map { SIMD2<Float>($0.pixel) + translation }
  }

  /// Ends the younger of two tracks that met.
  private func thin() {
    let kept = grid.thinned(tracks)
    guard kept.count < tracks.count else { return }
    let alive = Set(kept.map(\.id))
    for track in tracks where !alive.contains(track.id) { end(track, .metOlder) }
    tracks = kept
  }

  /// Releases a track's patch and counts the reason.
  func end(_ track: Track, _ reason: TrackEnd) {
    patches.release(track.slot)
    finalEnds[reason, default: 0] += 1
  }

  /// Removes all tracks after a gap in the images.
  func reset() {
    tracks = []
    rotateDeparted(by: nil)
    patches.removeAll()
    image = nil
  }

  /// Replaces the previous frame by one with another contrast.
  func replace(_ image: PyramidImage) { self.image = image }

  /// Tracks the features into the next frame, and ends those that are not found.
  func track(from image: PyramidImage, to next: PyramidImage, rotation: Rotation?, area: LitArea) {
    let old = tracks
    let rotated = old.map { lens.rotated($0.warp, by: rotation) ?? $0.warp }
    for index in tracks.indices {
      tracks[index].warp = rotated[index]
      tracks[index].warp.position += old[index].drift
      tracks[index].length += 1
    }
    var ended = [TrackEnd?](repeating: nil, count: tracks.count)
    let inside = tracks.indices.filter { grid.isInside(tracks[$0].position) }
    let seen = Set(recognise(inside, in: next, reach: configuration.largestPredictionError))
    // A known rotation leaves a small search range.
    let levels = rotation == nil ? configuration.levels : min(2, configuration.levels)
    let missing = tracks.indices.filter { !seen.contains($0) }
    search(for: missing, from: image, to: next, old, levels: levels, area: area, &ended)
    for index in tracks.indices { tracks[index].drift = tracks[index].position - rotated[index].position }
    let beyond = rotation.map { rejectOutliers(old, $0, &ended) } ?? .identity
    renew(tracks.indices.filter { ended[$0] == nil }, in: next)
    for index in tracks.indices { if let reason = ended[index] { dismiss(old[index], reason) } }
    rotateDeparted(by: rotation.map { beyond * $0 })
    tracks = tracks.indices.filter { ended[$0] == nil }.map { tracks[$0] }
  }

  /// Aligns tracks with their patches, so that errors do not accumulate from frame to frame. Returns those recognised
  /// within `reach` pixels of the predicted position.
  private func recognise(_ expected: [Int], in next: PyramidImage, reach: Float) -> [Int] {
    let (warps, correlations) = patches.align(
      expected.map { tracks[$0].slot }, in: next, guesses: expected.map { tracks[$0].warp })
    var recognised: [Int] = []
    for (k, index) in expected.enumerated() where correlations[k] >= configuration.leastCorrelation {
      let offset = warps[k].position - tracks[index].position
      guard (offset * offset).sum() <= reach * reach, grid.isInside(warps[k].position) else { continue }
      tracks[index].warp = warps[k]
      tracks[index].unseen = 0
      recognised.append(index)
    }
    return recognised
  }

  /// Searches by optical flow for tracks not found at their predicted positions. A flow result that passes the backward
  /// check is kept for a few unrecognised frames: blur, reflections and occlusions are short.
  /// Flow alone locks onto the edge of a fisheye's image.
  private func search(
    for missing: [Int], from image: PyramidImage, to next: PyramidImage, _ old: [Track], levels: Int, area: LitArea,
    _ ended: inout [TrackEnd?]
  ) {
    let expected = tracks
    let found = image.track(
      missing.map { old[$0].position }, to: next, guesses: missing.map { tracks[$0].position }, levels: levels)
    for (k, index) in missing.enumerated() {
      if let position = found[k], grid.isInside(position) {
        tracks[index].warp.position = position
      } else {
        ended[index] = found[k] == nil && grid.isInside(expected[index].position) ? .notFound : .leftImage
      }
    }
    let flowing = missing.filter { ended[$0] == nil }
    let recognised = Set(recognise(flowing, in: next, reach: configuration.largestCorrection))
    let unrecognised = flowing.filter { !recognised.contains($0) }
    let back = next.track(
      unrecognised.map { tracks[$0].position }, to: image, guesses: unrecognised.map { old[$0].position }, levels: 1)
    for (k, index) in unrecognised.enumerated() {
      tracks[index].unseen += 1
      let offset = back[k].map { $0 - old[index].position } ?? SIMD2(repeating: .infinity)
      if (offset * offset).sum() > configuration.returnDistance * configuration.returnDistance
        || tracks[index].unseen > configuration.longestUnseen || !area.contains(tracks[index].position)
      {
        ended[index] = .notRecognised
      }
    }
  }

  /// Rejects tracks that repeatedly move unlike static points; points outside the lens's domain are not tested. Returns
  /// the rotation of the inliers beyond the gyroscope's.
  private func rejectOutliers(_ old: [Track], _ rotation: Rotation, _ ended: inout [TrackEnd?]) -> Rotation {
    let tested = tracks.indices.compactMap { index -> (index: Int, before: Vector3, after: Vector3)? in
      guard ended[index] == nil, let before = lens.direction(of: old[index].position),
        let after = lens.direction(of: tracks[index].position)
      else { return nil }
      return (index, rotation * before, after)
    }
    let inliers = consensus.inliers(tested.map(\.before), tested.map(\.after))
    for (one, isInlier) in zip(tested, inliers) {
      tracks[one.index].outlierCount = isInlier ? 0 : tracks[one.index].outlierCount + 1
      if tracks[one.index].outlierCount > configuration.longestOutlying { ended[one.index] = .movedOtherwise }
    }
    let kept = zip(tested, inliers).filter(\.1).map(\.0)
    return RotationConsensus.rotation(from: kept.map(\.before), to: kept.map(\.after))
  }

  /// Resamples patches that changed too much to be compared, where a whole one is available. Only for living tracks:
  /// those that end keep their patch, to be recognised when they return.
  private func renew(_ living: [Int], in next: PyramidImage) {
    let changed = living.filter { tracks[$0].unseen == 0 && !tracks[$0].warp.isComparable }
    for (index, slot) in zip(changed, patches.sample(changed.map { tracks[$0].position }, in: next)) {
      guard let slot else { continue }
      patches.release(tracks[index].slot)
      tracks[index].slot = slot
      tracks[index].warp = PatchWarp(at: tracks[index].position)
    }
  }

  /// Ends a track, or stores it as departed if its point left the image.
  ///
  /// - Parameter last: the track in the previous frame.
  private func dismiss(_ last: Track, _ reason: TrackEnd) {
    if reason == .leftImage, last.unseen == 0, departed.add(last, lens) { return }
    end(last, reason)
  }

  /// Rotates the departed tracks; without a known rotation they are lost.
  private func rotateDeparted(by rotation: Rotation?) {
    if let rotation { departed.rotate(by: rotation) } else { departed.removeAll().forEach { end($0, .leftImage) } }
  }

  /// Recovers departed tracks, under their ids, whose patches match at their predicted positions.
  private func recoverDeparted(in next: PyramidImage) {
    let room = configuration.features - tracks.count
    let expected = room > 0 ? departed.expected(lens) { grid.mayBegin($0) } : []
    let (warps, correlations) = patches.align(expected.map(\.slot), in: next, guesses: expected.map(\.warp))
    var found: [Track] = [], missed: Set<Int64> = []
    for (k, one) in expected.enumerated() where found.count < room {
      guard correlations[k] >= configuration.leastCorrelation, grid.mayBegin(warps[k].position),
        warps[k].distance(to: one.warp) <= configuration.largestPredictionError
      else {
        missed.insert(one.id)
        continue
      }
      var track = one
      track.warp = warps[k]
      track.length += 1
      track.outlierCount = 0
      track.drift = Self.drift(of: tracks, near: track.position)
      found.append(track)
    }
    returned += found.count
    tracks = (tracks + found).sorted { $0.id < $1.id }
    let over = departed.settle(
      found: Set(found.map(\.id)), missed: missed, mostMisses: configuration.mostMisses,
      longestAbsence: configuration.longestAbsence)
    for track in over { end(track, .leftImage) }
  }
}

/// Why a track ended.
package enum TrackEnd: String, CaseIterable, Sendable {
  /// It left the image, or entered the mask.
  case leftImage
  /// It was not found at its predicted position.
  case notFound
  /// The patch no longer correlates, or the backward check failed.
  case notRecognised
  /// It moved unlike a static point.
  case movedOtherwise
  /// It met an older one.
  case metOlder
}
