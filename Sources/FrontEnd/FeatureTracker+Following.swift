import Geometry
import CameraGeometry

extension FeatureTracker {
  /// Finds the tracks in the next frame, and ends those that are not there.
  func follow(from image: PyramidImage, to next: PyramidImage, turn: Rotation?, area: LitArea) {
    let old = tracks
    let turned = old.map { lens.turned($0.warp, by: turn) ?? $0.warp }
    for index in tracks.indices {
      tracks[index].warp = turned[index]
      tracks[index].warp.place += old[index].drift
      tracks[index].length += 1
    }
    var ended = [TrackEnd?](repeating: nil, count: tracks.count)
    let inside = tracks.indices.filter { grid.isInside(tracks[$0].place) }
    let seen = Set(recognise(inside, in: next, reach: configuration.largestSurprise))
    // A known turn leaves little to search for.
    let levels = turn == nil ? configuration.levels : min(2, configuration.levels)
    let missing = tracks.indices.filter { !seen.contains($0) }
    search(for: missing, from: image, to: next, old, levels: levels, area: area, &ended)
    for index in tracks.indices { tracks[index].drift = tracks[index].place - turned[index].place }
    let beyond = turn.map { askConsensus(old, $0, &ended) } ?? .identity
    renew(tracks.indices.filter { ended[$0] == nil }, in: next)
    for index in tracks.indices { if let reason = ended[index] { dismiss(old[index], reason) } }
    carryDeparted(by: turn.map { beyond * $0 })
    tracks = tracks.indices.filter { ended[$0] == nil }.map { tracks[$0] }
  }

  /// Puts tracks where their patches lie, so that small errors do not add up from frame to frame; which were recognised, at most
  /// `reach` pixels from where they were expected.
  private func recognise(_ expected: [Int], in next: PyramidImage, reach: Float) -> [Int] {
    let (warps, correlations) = patches.align(
      expected.map { tracks[$0].slot }, in: next, guesses: expected.map { tracks[$0].warp })
    var recognised: [Int] = []
    for (k, index) in expected.enumerated() where correlations[k] >= configuration.leastCorrelation {
      let offset = warps[k].place - tracks[index].place
      guard (offset * offset).sum() <= reach * reach, grid.isInside(warps[k].place) else { continue }
      tracks[index].warp = warps[k]
      tracks[index].unseen = 0
      recognised.append(index)
    }
    return recognised
  }

  /// Looks for what is not where it was expected. What flow finds and leads back is believed for a few frames without being
  /// recognised: blur, a reflection and whatever passes by are soon over. Flow alone holds on to the edge of a fisheye's image.
  private func search(
    for missing: [Int], from image: PyramidImage, to next: PyramidImage, _ old: [Track], levels: Int, area: LitArea,
    _ ended: inout [TrackEnd?]
  ) {
    let expected = tracks
    let found = image.follow(
      missing.map { old[$0].place }, to: next, guesses: missing.map { tracks[$0].place }, levels: levels)
    for (k, index) in missing.enumerated() {
      if let place = found[k], grid.isInside(place) {
        tracks[index].warp.place = place
      } else {
        ended[index] = found[k] == nil && grid.isInside(expected[index].place) ? .notFound : .leftImage
      }
    }
    let flowing = missing.filter { ended[$0] == nil }
    let recognised = Set(recognise(flowing, in: next, reach: configuration.largestCorrection))
    let doubtful = flowing.filter { !recognised.contains($0) }
    let back = next.follow(
      doubtful.map { tracks[$0].place }, to: image, guesses: doubtful.map { old[$0].place }, levels: 1)
    for (k, index) in doubtful.enumerated() {
      tracks[index].unseen += 1
      let offset = back[k].map { $0 - old[index].place } ?? SIMD2(repeating: .infinity)
      if (offset * offset).sum() > configuration.returnDistance * configuration.returnDistance
        || tracks[index].unseen > configuration.longestUnseen || !area.contains(tracks[index].place)
      {
        ended[index] = .notRecognised
      }
    }
  }

  /// What moves otherwise than still points do, frame after frame, is given up; what the lens cannot see is not judged. Returns what the
  /// others turned beyond the gyroscope's turn.
  private func askConsensus(_ old: [Track], _ turn: Rotation, _ ended: inout [TrackEnd?]) -> Rotation {
    let judged = tracks.indices.compactMap { index -> (index: Int, before: Vector3, after: Vector3)? in
      guard ended[index] == nil, let before = lens.direction(of: old[index].place),
        let after = lens.direction(of: tracks[index].place)
      else { return nil }
      return (index, turn * before, after)
    }
    let verdict = consensus.stoodStill(judged.map(\.before), judged.map(\.after))
    for (sight, isStill) in zip(judged, verdict) {
      tracks[sight.index].strange = isStill ? 0 : tracks[sight.index].strange + 1
      if tracks[sight.index].strange > configuration.longestStrange { ended[sight.index] = .movedOtherwise }
    }
    let still = zip(judged, verdict).filter(\.1).map(\.0)
    return RotationConsensus.turn(from: still.map(\.before), to: still.map(\.after))
  }

  /// Patches that have changed too much to be compared are taken anew, where there is a whole one; of living tracks only: those that
  /// end keep their own, to be known by it when they come back.
  private func renew(_ living: [Int], in next: PyramidImage) {
    let changed = living.filter { tracks[$0].unseen == 0 && !tracks[$0].warp.isComparable }
    for (index, slot) in zip(changed, patches.take(changed.map { tracks[$0].place }, in: next)) {
      guard let slot else { continue }
      patches.release(tracks[index].slot)
      tracks[index].slot = slot
      tracks[index].warp = PatchWarp(at: tracks[index].place)
    }
  }
}
