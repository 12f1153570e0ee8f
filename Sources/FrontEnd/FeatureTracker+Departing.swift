import Geometry

extension FeatureTracker {
  /// Ends a track, or keeps it aside where its point only went out of sight.
  ///
  /// - Parameter last: the track as the frame before had it.
  func dismiss(_ last: Track, _ reason: TrackEnd) {
    if reason == .leftImage, last.unseen == 0, departed.add(last, lens) { return }
    end(last, reason)
  }

  /// Takes along what is out of sight; where nobody knows the turn it is lost.
  func carryDeparted(by turn: Rotation?) {
    if let turn { departed.turn(by: turn) } else { departed.removeAll().forEach { end($0, .leftImage) } }
  }

  /// Takes up again, under their old ids, the tracks whose patches lie where they should be after all turns since they left.
  func welcomeBack(in next: PyramidImage) {
    let room = configuration.features - tracks.count
    let expected = room > 0 ? departed.expected(lens) { grid.mayBegin($0) } : []
    let (warps, correlations) = patches.align(expected.map(\.slot), in: next, guesses: expected.map(\.warp))
    var found: [Track] = [], missed: Set<Int64> = []
    for (k, one) in expected.enumerated() where found.count < room {
      guard correlations[k] >= configuration.leastCorrelation, grid.mayBegin(warps[k].place),
        warps[k].distance(to: one.warp) <= configuration.largestSurprise
      else {
        missed.insert(one.id)
        continue
      }
      var track = one
      track.warp = warps[k]
      track.length += 1
      track.strange = 0
      track.drift = Self.drift(of: tracks, near: track.place)
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
