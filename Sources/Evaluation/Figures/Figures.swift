import Geometry

/// All figures of one subject: a recording that was run once, or a scenario that was run with many seeds.
///
/// A trial is one run; figures of peers count every peer of every trial once.
package struct Figures: Equatable, Sendable {
  /// Trials.
  package let trials: Int
  private let values: [FigureKey: Figure]

  /// One figure.
  package subscript(key: FigureKey) -> Figure { values[key] ?? Figure(count: 0) }

  /// The figures of some trials, in any order that does not change from run to run.
  package init(_ verdicts: [Judge.Verdict]) {
    trials = verdicts.count
    var values: [FigureKey: Figure] = [:]
    let trajectories = verdicts.map(\.trajectory)
    func median(_ key: FigureKey, _ value: (TrajectoryErrors) -> Double?) {
      values[key] = .median(trajectories.map { $0.flatMap(value) })
    }
    median(.pathLength, \.pathLength)
    median(.ateYawAligned, \.ateYawAligned)
    median(.ateSE3, \.ateSE3)
    median(.rpe, \.relativePerSecond)
    median(.attitudeDegrees) { Angle.inDegrees($0.attitude) }
    for length in RelativeError.lengths {
      median(.rpeAt(metres: length)) { $0.relativeByLength.first { $0.length == length }?.translation }
    }
    func consistency(_ mean: FigureKey, _ inBand: FigureKey, _ errors: [NormalizedErrors]) {
      values[mean] = .mean(errors.map(\.mean))
      values[inBand] = .share(errors.map { ($0.inBand, $0.values.count) })
    }
    let known = trajectories.compactMap { $0 }
    consistency(.neesPosition, .neesPositionInBand, known.map(\.positionNEES))
    consistency(.neesAttitude, .neesAttitudeInBand, known.map(\.attitudeNEES))

    for (key, errors) in [
      (FigureKey.aneesPositionInBand, known.map(\.positionNEES)),
      (.aneesAttitudeInBand, known.map(\.attitudeNEES)),
    ] {
      // The moments of one set of runs follow each other: they are one trial, and no interval is claimed for their share.
      let (inBand, count) = NormalizedErrors.averagesInBand(errors)
      if count > 0 { values[key] = .share([(inBand, count)]) }
    }

    // Peers in a fixed order: a dictionary has none.
    let pairs = verdicts.flatMap { verdict in
      verdict.peers.sorted { $0.key < $1.key }.map { ($0.value, verdict.ideal[$0.key]) }
    }
    let peers = pairs.map(\.0)
    Self.note(peers, into: &values)
    consistency(.neesPeer, .neesPeerInBand, peers.map(\.positionNEES))
    func anywhere(_ key: FigureKey, _ count: (PeerErrors) -> Int) {
      values[key] = .share(verdicts.map { ($0.peers.values.contains { count($0) > 0 } ? 1 : 0, 1) })
    }
    anywhere(.falselyConvergedTrials, \.falseConverged)
    anywhere(.wrongAngleTrials, \.wrongAngles)
    Self.note(pairs.compactMap { peer, ideal in ideal.map { (peer, $0) } }, into: &values)
    self.values = values
  }

  private static func note(_ peers: [PeerErrors], into values: inout [FigureKey: Figure]) {
    values[.angleErrorDegrees] = .median(peers.map { $0.angle.map { Angle.inDegrees($0.median) } })
    values[.angleErrorDegrees90] = .median(peers.map { $0.angle.map { Angle.inDegrees($0.percentile90) } })
    values[.wrongAngles] = .share(peers.map { ($0.wrongAngles, $0.angle?.count ?? 0) })
    for seconds in AngleCheckpoint.seconds {
      let there = peers.compactMap { $0.checkpoint(at: seconds) }
      values[.angleErrorDegreesAt(seconds: seconds)] = .median(there.map { $0.error.map(Angle.inDegrees) })
      values[.angleShareAt(seconds: seconds)] = .share(there.map { ($0.error == nil ? 0 : 1, 1) })
      values[.convergedShareAt(seconds: seconds)] = .share(there.map { ($0.isConverged ? 1 : 0, 1) })
    }
    values[.coverage90] = .share(peers.map { ($0.intervalsContainingTruth, $0.intervals) })
    values[.coverage90Tolerant] = .share(peers.map { ($0.intervalsNearTruth, $0.intervals) })
    values[.firstAngle] = .median(peers.map(\.firstAngleAt))
    values[.timeToConverge] = .median(peers.map(\.convergedAt))
    values[.convergedShare] = .share(peers.map { ($0.convergedAt == nil ? 0 : 1, 1) })
    values[.converged] = .share(peers.map { ($0.converged, $0.judged) })
    values[.falseConverged] = .share(peers.map { ($0.falseConverged, $0.converged) })
    values[.verticalDecided] = .share(peers.map { ($0.verticalTally.decided, $0.judged) })
    values[.verticalWrong] = .share(peers.map { ($0.verticalTally.wrong, $0.verticalTally.decided) })
    values[.distanceError] = .median(peers.map { $0.distance?.median })
    values[.positionError] = .median(peers.map { $0.position?.median })
    values[.rejectedRanges] = .share(peers.map { ($0.ranges["rejected"] ?? 0, $0.ranges.values.reduce(0, +)) })
    note(peers.map(\.walks), into: &values)
  }

  /// How soon walks were noticed, and how honest what was said meanwhile.
  private static func note(_ walks: [MovingPeerErrors], into values: inout [FigureKey: Figure]) {
    let noticed = walks.flatMap(\.noticedAfter)
    values[.motionDetectionDelay] = .quantile(noticed, 0.5)
    values[.motionDetectionDelay90] = .quantile(noticed, 0.9)
    values[.motionDetectedIn2s] = .share(walks.map { ($0.noticedAfter.count { $0 <= 2 }, $0.noticedAfter.count) })
    values[.movingAngleAvailability] = .share(walks.map { ($0.intervals, $0.judged) })
    values[.movingCoverage90] = .share(walks.map { ($0.intervalsContainingTruth, $0.intervals) })
  }

  /// The ideal observer's figures, and the product's as ratios to them, paired on the same ranges.
  private static func note(
    _ pairs: [(peer: PeerErrors, ideal: IdealErrors)], into values: inout [FigureKey: Figure]
  ) {
    for seconds in AngleCheckpoint.seconds {
      let published = pairs.compactMap { pair -> (Double, Double)? in
        guard let error = pair.peer.checkpoint(at: seconds)?.error, let ideal = pair.ideal.meanError(at: seconds) else {
          return nil
        }
        return (Angle.inDegrees(error), Angle.inDegrees(ideal))
      }
      values[.idealAngleErrorDegreesAt(seconds: seconds)] = .median(published.map(\.1))
      values[.angleRatioAt(seconds: seconds)] = .ratioOfMedians(published)
      let there = pairs.compactMap { $0.ideal.published.checkpoint(at: seconds) }
      values[.idealAngleShareAt(seconds: seconds)] = .share(there.map { ($0.error == nil ? 0 : 1, 1) })
      values[.idealConvergedShareAt(seconds: seconds)] = .share(there.map { ($0.isConverged ? 1 : 0, 1) })
    }
    let ideals = pairs.map(\.ideal.published)
    values[.idealCoverage90] = .share(ideals.map { ($0.intervalsContainingTruth, $0.intervals) })
    values[.idealFirstAngle] = .median(ideals.map(\.firstAngleAt))
    values[.idealTimeToConverge] = .median(ideals.map(\.convergedAt))
    values[.idealConvergedShare] = .share(ideals.map { ($0.convergedAt == nil ? 0 : 1, 1) })
    values[.idealWrongAngles] = .share(ideals.map { ($0.wrongAngles, $0.angle?.count ?? 0) })
    values[.idealFalseConverged] = .share(ideals.map { ($0.falseConverged, $0.converged) })
    values[.idealVerticalDecided] = .share(ideals.map { ($0.verticalTally.decided, $0.judged) })
    values[.idealVerticalWrong] = .share(ideals.map { ($0.verticalTally.wrong, $0.verticalTally.decided) })
    values[.verticalDecidedRatio] = .ratioOfShares(
      pairs.map { pair in
        let ideal = pair.ideal.published
        return ((pair.peer.verticalTally.decided, pair.peer.judged), (ideal.verticalTally.decided, ideal.judged))
      })
    func ratio(_ key: FigureKey, _ time: (PeerErrors) -> Double?) {
      values[key] = .ratioOfMedians(
        pairs.compactMap { pair in
          guard let ours = time(pair.peer), let ideal = time(pair.ideal.published) else { return nil }
          return (ours, ideal)
        })
    }
    ratio(.firstAngleRatio, \.firstAngleAt)
    ratio(.timeToConvergeRatio, \.convergedAt)
    noteMoments(pairs, into: &values)
  }
}

extension PeerErrors {
  /// The checkpoint at that many seconds after the motion began; nil where the recording ends before.
  package func checkpoint(at seconds: Double) -> AngleCheckpoint? { checkpoints.first { $0.seconds == seconds } }

  /// Updates that named a level or a side (`same`, `above`, `below`), and how many of these were wrong.
  package var verticalTally: (decided: Int, wrong: Int) {
    var tally = (decided: 0, wrong: 0)
    for (level, counts) in vertical {
      for known in TrueView.Level.allCases {
        guard let count = counts[known.rawValue] else { continue }
        tally.decided += count
        if known != level { tally.wrong += count }
      }
    }
    return tally
  }
}
