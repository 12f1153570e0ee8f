import Geometry
import SensorData

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
  package init(_ results: [Judge.Errors]) {
    trials = results.count
    var values: [FigureKey: Figure] = [:]
    let trajectories = results.map(\.trajectory)
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
      values[inBand] = .fraction(errors.map { ($0.inBand, $0.values.count) })
    }
    let known = trajectories.compactMap { $0 }
    consistency(.neesPosition, .neesPositionInBand, known.map(\.positionNEES))
    consistency(.neesAttitude, .neesAttitudeInBand, known.map(\.attitudeNEES))

    for (key, errors) in [
      (FigureKey.aneesPositionInBand, known.map(\.positionNEES)),
      (.aneesAttitudeInBand, known.map(\.attitudeNEES)),
    ] {
      // Successive moments of one set of runs are correlated: they count as one trial, without an interval.
      let (inBand, count) = NormalizedErrors.meansInBand(errors)
      if count > 0 { values[key] = .fraction([(inBand, count)]) }
    }

    // Peers in a fixed order: a dictionary has none.
    let pairs = results.flatMap { result in
      result.peers.sorted { $0.key < $1.key }.map { ($0.value, result.ideal[$0.key]) }
    }
    let peers = pairs.map(\.0)
    Self.record(peers, into: &values)
    consistency(.neesPeer, .neesPeerInBand, peers.map(\.positionNEES))
    func anywhere(_ key: FigureKey, _ count: (PeerErrors) -> Int) {
      values[key] = .fraction(results.map { ($0.peers.values.contains { count($0) > 0 } ? 1 : 0, 1) })
    }
    anywhere(.falselyConvergedTrials, \.falseConverged)
    anywhere(.wrongAngleTrials, \.wrongAngles)
    Self.record(pairs.compactMap { peer, ideal in ideal.map { (peer, $0) } }, into: &values)
    self.values = values
  }

  private static func record(_ peers: [PeerErrors], into values: inout [FigureKey: Figure]) {
    values[.angleErrorDegrees] = .median(peers.map { $0.angle.map { Angle.inDegrees($0.median) } })
    values[.angleErrorDegrees90] = .median(peers.map { $0.angle.map { Angle.inDegrees($0.percentile90) } })
    values[.wrongAngles] = .fraction(peers.map { ($0.wrongAngles, $0.angle?.count ?? 0) })
    for seconds in AngleCheckpoint.moments {
      let there = peers.compactMap { $0.checkpoint(at: seconds) }
      values[.angleErrorDegreesAt(seconds: seconds)] = .median(there.map { $0.error.map(Angle.inDegrees) })
      values[.angleShareAt(seconds: seconds)] = .fraction(there.map { ($0.error == nil ? 0 : 1, 1) })
      values[.convergedShareAt(seconds: seconds)] = .fraction(there.map { ($0.isConverged ? 1 : 0, 1) })
    }
    for seconds in AngleCheckpoint.scored {
      let there = peers.compactMap { $0.checkpoint(at: seconds) }
      values[.coverage90At(seconds: seconds)] = .fraction(there.compactMap { $0.containsTruth.map { ($0 ? 1 : 0, 1) } })
      values[.angleCRPSDegreesAt(seconds: seconds)] = .mean(there.map { $0.score.map { Angle.inDegrees($0.crps) } })
      values[.angleIntervalScoreDegreesAt(seconds: seconds)] = .mean(
        there.map { $0.score.map { Angle.inDegrees($0.interval) } })
    }
    values[.coverage90] = .fraction(peers.map(\.angleCoverage.counts))
    values[.coverage90Tolerant] = .fraction(peers.map(\.tolerantCoverage.counts))
    values[.distanceCoverage90] = .fraction(peers.map(\.distanceCoverage.counts))
    values[.firstAngle] = .median(peers.map(\.milestones.angle))
    values[.timeToConverge] = .median(peers.map(\.milestones.converged))
    values[.convergedShare] = .fraction(peers.map { ($0.milestones.converged == nil ? 0 : 1, 1) })
    values[.converged] = .fraction(peers.map { ($0.converged, $0.judged) })
    values[.falseConverged] = .fraction(peers.map { ($0.falseConverged, $0.converged) })
    values[.verticalDecided] = .fraction(peers.map { ($0.verticalTally.decided, $0.judged) })
    values[.verticalWrong] = .fraction(peers.map { ($0.verticalTally.wrong, $0.verticalTally.decided) })
    values[.distanceError] = .median(peers.map { $0.distance?.median })
    values[.positionError] = .median(peers.map { $0.position?.median })
    values[.rejectedRanges] = .fraction(peers.map { ($0.ranges["rejected"] ?? 0, $0.ranges.values.reduce(0, +)) })
    record(peers.map(\.moving), into: &values)
  }

  /// Detection delay of peer motions, and availability and coverage of the angle during them.
  private static func record(_ moving: [MovingPeerErrors], into values: inout [FigureKey: Figure]) {
    let delays = moving.flatMap(\.detectionDelays)
    values[.motionDetectionDelay] = .quantile(delays, 0.5)
    values[.motionDetectionDelay90] = .quantile(delays, 0.9)
    values[.motionDetectedIn2s] = .fraction(
      moving.map { ($0.detectionDelays.count { $0 <= 2 }, $0.detectionDelays.count) })
    values[.movingAngleAvailability] = .fraction(moving.map { ($0.coverage.intervals, $0.judged) })
    values[.movingCoverage90] = .fraction(moving.map(\.coverage.counts))
  }

  /// The ideal observer's figures, and the product's as ratios to them, paired on the same ranges.
  private static func record(
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
      values[.idealAngleShareAt(seconds: seconds)] = .fraction(there.map { ($0.error == nil ? 0 : 1, 1) })
      values[.idealConvergedShareAt(seconds: seconds)] = .fraction(there.map { ($0.isConverged ? 1 : 0, 1) })
    }
    let ideals = pairs.map(\.ideal.published)
    values[.idealCoverage90] = .fraction(ideals.map(\.angleCoverage.counts))
    values[.idealFirstAngle] = .median(ideals.map(\.milestones.angle))
    values[.idealTimeToConverge] = .median(ideals.map(\.milestones.converged))
    values[.idealConvergedShare] = .fraction(ideals.map { ($0.milestones.converged == nil ? 0 : 1, 1) })
    values[.idealWrongAngles] = .fraction(ideals.map { ($0.wrongAngles, $0.angle?.count ?? 0) })
    values[.idealFalseConverged] = .fraction(ideals.map { ($0.falseConverged, $0.converged) })
    values[.idealVerticalDecided] = .fraction(ideals.map { ($0.verticalTally.decided, $0.judged) })
    values[.idealVerticalWrong] = .fraction(ideals.map { ($0.verticalTally.wrong, $0.verticalTally.decided) })
    values[.verticalDecidedRatio] = .ratioOfFractions(
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
    ratio(.firstAngleRatio, \.milestones.angle)
    ratio(.timeToConvergeRatio, \.milestones.converged)
    recordMoments(pairs, into: &values)
  }
}

extension PeerErrors {
  /// The checkpoint at that many seconds after the motion began; nil where the recording ends before.
  package func checkpoint(at seconds: Double) -> AngleCheckpoint? { checkpoints.first { $0.seconds == seconds } }

  /// Updates with a decided level (`same`, `above`, `below`), and how many of these were wrong.
  package var verticalTally: (decided: Int, wrong: Int) {
    var tally = (decided: 0, wrong: 0)
    for (level, counts) in vertical {
      for estimate in TrueView.Level.allCases {
        guard let count = counts[estimate.rawValue] else { continue }
        tally.decided += count
        if estimate != level { tally.wrong += count }
      }
    }
    return tally
  }
}

/// The product against the ideal observer moment by moment: interval widths and availability of the angle.
extension Figures {
  private static func recordMoments(
    _ pairs: [(peer: PeerErrors, ideal: IdealErrors)], into values: inout [FigureKey: Figure]
  ) {
    // Per peer: moments with an observable angle; of these, published by the ideal observer, by both, and by the
    // product.
    typealias Compared = (
      observable: Int, publishable: Int, publishedByBoth: Int, common: [(ours: AngleMoment, ideal: AngleMoment)]
    )
    let compared = pairs.map { pair -> Compared in
      let observable = pair.ideal.moments.filter { $0.halfWidth <= AngleMoment.observableHalfWidth }
      // Several updates may have the same timestamp: the last one counts.
      let ours = Dictionary(pair.peer.moments.map { ($0.timestamp, $0) }) { $1 }
      let publishable = Set(pair.ideal.published.moments.map(\.timestamp))
      let common = observable.compactMap { ideal in ours[ideal.timestamp].map { ($0, ideal) } }
      return (
        observable.count, observable.count { publishable.contains($0.timestamp) },
        common.count { publishable.contains($0.1.timestamp) }, common
      )
    }
    values[.idealAngleAvailability] = .fraction(compared.map { ($0.publishable, $0.observable) })
    values[.angleAvailability] = .fraction(compared.map { ($0.common.count, $0.observable) })
    values[.angleAvailabilityPublishable] = .fraction(compared.map { ($0.publishedByBoth, $0.publishable) })
    let errors = compared.map { $0.common.map { ($0.ours.error, $0.ideal.error) } }
    values[.angleErrorRatio] = .ratioOfQuantiles(errors, 0.5)
    values[.angleErrorRatio90] = .ratioOfQuantiles(errors, 0.9)
    values[.halfWidthRatio] = .ratioOfQuantiles(
      compared.map { $0.common.map { ($0.ours.halfWidth, $0.ideal.halfWidth) } }, 0.5)
    // A trial that never reaches 10 degrees counts as infinite: leaving it out would bias the median down.
    values[.timeTo10DegreesRatio] = .ratioOfMedians(
      pairs.compactMap { pair in
        pair.ideal.published.milestones.narrowAngle.map { (pair.peer.milestones.narrowAngle ?? .infinity, $0) }
      })
  }
}
