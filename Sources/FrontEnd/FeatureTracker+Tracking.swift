import CameraGeometry
import Geometry

extension FeatureTracker {
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
}
