import Geometry

extension FeatureTracker {
  /// Ends a track, or stores it as departed if its point left the image.
  ///
  /// - Parameter last: the track in the previous frame.
  func dismiss(_ last: Track, _ reason: TrackEnd) {
    if reason == .leftImage, last.unseen == 0, departed.add(last, lens) { return }
    end(last, reason)
  }

  /// Rotates the departed tracks; without a known rotation they are lost.
  func rotateDeparted(by rotation: Rotation?) {
    if let rotation { departed.rotate(by: rotation) } else { departed.removeAll().forEach { end($0, .leftImage) } }
  }

  /// Recovers departed tracks, under their ids, whose patches match at their predicted positions.
  func recoverDeparted(in next: PyramidImage) {
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
