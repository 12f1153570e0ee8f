import Geometry
import SensorData

/// Errors of the updates of one peer.
package struct PeerErrors: Equatable, Sendable {
  /// An angle is wrong, and a converged update with it false, when its error is over this, radians,
  private static let falseAngle = Angle.degrees(20)
  /// and the peer is at least this far away horizontally, metres.
  private static let falseAngleDistance = 1.0
  /// A converged update is false, too, when the error of its world transform is over this, metres, at a distance of
  /// the peer in metres.
  static func falsePosition(at distance: Double) -> Double { max(1.5, 0.25 * distance) }
  /// Error of the published ground truth of real recordings, radians: the tolerance of `coverage90Tolerant`.
  private static let truthTolerance = Angle.degrees(1.5)

  /// Evaluated updates.
  package var judged = 0
  /// Errors of the published distances, metres.
  package var distance: ErrorStatistics?
  /// Of published distances with a 1-sigma.
  package var distanceCoverage = IntervalCoverage()
  /// Errors of the published angles, radians.
  package var angle: ErrorStatistics?
  /// Wrong published angles: error over 20 degrees, with the peer at least 1 m away horizontally.
  package var wrongAngles = 0
  /// Of angles, and of these within 1.5 degrees.
  package var angleCoverage = IntervalCoverage()
  var tolerantCoverage = IntervalCoverage()
  /// Half the width of the last interval, radians.
  package var finalIntervalHalfWidth: Double?
  /// Errors of the published positions after alignment of the worlds, metres.
  package var position: ErrorStatistics?
  /// Normalised errors of those positions.
  package var positionNEES = NormalizedErrors()
  /// Converged updates, and how many of these were false.
  package var converged = 0
  package var falseConverged = 0
  /// How often each true level met each published estimate.
  package var vertical: [TrueView.Level: [String: Int]] = [:]
  /// Ranges by use: `used`, `rejected`, `kept`; `Judge` counts them.
  package var ranges: [String: Int] = [:]
  /// When it was first found out.
  package var milestones = Milestones()
  /// The angle at fixed times after the device began to move.
  package var checkpoints: [AngleCheckpoint] = []
  /// Every published angle that was evaluated.
  package var moments: [AngleMoment] = []
  /// Errors while the peer moved.
  package var moving = MovingPeerErrors(motions: [])
  /// Status and reasons over time.
  package var spans: [ConvergenceSpan] = []

  /// What happened first, seconds since the first update; nil where it never did.
  package struct Milestones: Equatable, Sendable {
    /// An angle was published.
    package var angle: Double?
    /// The 90 % half-width of a published angle was at most 10 degrees.
    var narrowAngle: Double?
    /// The status was `converged`.
    package var converged: Double?
    /// The device began to move.
    package var motion: Double?
  }

  /// Fraction of the 90 % intervals that contain the true angle; nil without any.
  package var coverage90: Double? { angleCoverage.fraction }
  /// The same within 1.5 degrees.
  package var coverage90Tolerant: Double? { tolerantCoverage.fraction }
  /// Fraction of the distances' 90 % intervals that contain the true distance; nil without any.
  package var distanceCoverage90: Double? { distanceCoverage.fraction }
  /// Fraction of the converged updates that were false; nil without any.
  package var falseConvergedFraction: Double? { converged == 0 ? nil : Double(falseConverged) / Double(converged) }

  /// Evaluates the updates of one peer, in time order. Updates without a true pose and a true peer position are
  /// skipped.
  ///
  /// - Parameter alignment: yaw and translation between the worlds; nil without a trajectory: then positions are not
  ///   evaluated.
  package init(
    peer: String, updates: [JudgedUpdate], truth: TruthTrajectory, peers: TruthPeers, bodyFromDevice: Pose,
    alignment: WorldAlignment?
  ) {
    guard let start = updates.first?.timestamp, let end = updates.last?.timestamp else { return }
    let motion = AngleCheckpoint.motionBegan(after: start, until: end, truth: truth, bodyFromDevice: bodyFromDevice)
    milestones.motion = motion?.seconds(since: start)
    spans = ConvergenceSpan.spans(updates)
    moving = MovingPeerErrors(motions: peers.motions(of: peer))
    moving.record(updates)
    var tally = Tally()
    for update in updates {
      let seconds = update.timestamp.seconds(since: start)
      if update.horizontalAngle != nil { milestones.angle = milestones.angle ?? seconds }
      if update.isConverged { milestones.converged = milestones.converged ?? seconds }
      guard let worldFromBody = truth.worldFromBody(at: update.timestamp),
        let truePosition = peers.position(of: peer, at: update.timestamp)
      else { continue }
      let view = TrueView(worldFromDevice: worldFromBody * bodyFromDevice, peer: truePosition)
      evaluate(update, view, truePosition, alignment?.truthFromEstimate(at: update.timestamp), seconds: seconds, &tally)
    }
    distance = ErrorStatistics(tally.distances)
    angle = ErrorStatistics(tally.angles.map(\.error))
    position = ErrorStatistics(tally.positions)
    if let motion {
      checkpoints = Self.checkpoints(tally.angles, updates, from: motion, until: end) { time in
        truth.worldFromBody(at: time) != nil && peers.position(of: peer, at: time) != nil
      }
    }
  }

  /// An update with an angle.
  private struct Angled {
    var time: Timestamp
    /// Radians.
    var error: Double
    /// Width of the 90 % interval, and distance of the truth beyond its ends, radians; nil without one.
    var width: Double?
    var miss: Double?
  }

  /// Errors collected so far.
  private struct Tally {
    var distances: [Double] = []
    var angles: [Angled] = []
    var positions: [Double] = []
  }

  private mutating func evaluate(
    _ update: JudgedUpdate, _ view: TrueView, _ truePosition: Vector3, _ truthFromEstimate: Pose?, seconds: Double,
    _ tally: inout Tally
  ) {
    judged += 1
    vertical[view.level, default: [:]][update.verticalDirectionEstimate, default: 0] += 1
    if let distance = update.distance {
      tally.distances.append(distance - view.distance)
      if let sigma = update.distanceStandardDeviation {
        distanceCoverage.add(abs(distance - view.distance) <= NinetyPercent.halfWidth(sigma))
      }
    }
    let angleError = update.horizontalAngle.map { Angle.wrapped($0 - view.horizontalAngle) }
    let isWrong = view.horizontalDistance >= Self.falseAngleDistance && abs(angleError ?? 0) > Self.falseAngle
    if isWrong { wrongAngles += 1 }
    let misses = update.horizontalAngleInterval.map { Self.miss($0, trueAngle: view.horizontalAngle) }
    if let angleError {
      let width = update.horizontalAngleInterval.map { $0.upperBound - $0.lowerBound }
      tally.angles.append(Angled(time: update.timestamp, error: angleError, width: width, miss: misses))
    }
    moving.record(at: update.timestamp, containsTruth: misses.map { $0 <= 0 })
    if let interval = update.horizontalAngleInterval, let misses {
      angleCoverage.add(misses <= 0)
      tolerantCoverage.add(misses <= Self.truthTolerance)
      let halfWidth = 0.5 * (interval.upperBound - interval.lowerBound)
      finalIntervalHalfWidth = halfWidth
      if let angleError {
        moments.append(AngleMoment(timestamp: update.timestamp, error: abs(angleError), halfWidth: halfWidth))
      }
      if halfWidth <= AngleMoment.narrowHalfWidth { milestones.narrowAngle = milestones.narrowAngle ?? seconds }
    }
    var positionError: Double?
    if let position = update.worldPosition, let truthFromEstimate {
      let error = truthFromEstimate * position - truePosition
      positionError = error.norm
      tally.positions.append(error.norm)
      if let covariance = update.positionCovariance {
        positionNEES.add(
          truthFromEstimate.rotation.inverse * error, covariance: covariance, floor: TrajectoryErrors.varianceFloor,
          seconds: seconds)
      }
    }
    guard update.isConverged else { return }
    converged += 1
    if isWrong || (positionError ?? 0) > Self.falsePosition(at: view.distance) { falseConverged += 1 }
  }

  /// Distance of the true angle beyond the ends of an interval, radians; negative inside.
  private static func miss(_ interval: ClosedRange<Double>, trueAngle: Double) -> Double {
    let halfWidth = (interval.upperBound - interval.lowerBound) / 2
    return abs(Angle.wrapped(trueAngle - interval.lowerBound - halfWidth)) - halfWidth
  }

  private static func checkpoints(
    _ angles: [Angled], _ updates: [JudgedUpdate], from motion: Timestamp, until end: Timestamp,
    hasTruth: (Timestamp) -> Bool
  ) -> [AngleCheckpoint] {
    AngleCheckpoint.moments.compactMap { seconds in
      let time = motion.advanced(bySeconds: seconds)
      guard time <= end, let last = updates.last(where: { $0.timestamp <= time }) else { return nil }
      let isFresh = time.seconds(since: last.timestamp) <= AngleCheckpoint.maxUpdateAge
      let angle = isFresh ? angles.last { $0.time <= time && $0.time == last.timestamp } : nil
      return AngleCheckpoint(
        seconds: seconds, error: angle.map { abs($0.error) }, isConverged: isFresh && last.isConverged,
        containsTruth: angle?.miss.map { $0 <= 0 },
        score: angle.map { AngleScore(error: $0.error, width: $0.width, miss: $0.miss) }
          ?? (hasTruth(time) ? .prior : nil))
    }
  }
}

/// How many 90 % intervals there are, and how many of them contain the truth.
package struct IntervalCoverage: Equatable, Sendable {
  package private(set) var intervals = 0
  package private(set) var containingTruth = 0

  /// Nil without any.
  package var fraction: Double? { intervals == 0 ? nil : Double(containingTruth) / Double(intervals) }
  /// For fractions over several trials.
  var counts: (hits: Int, all: Int) { (containingTruth, intervals) }

  mutating func add(_ containsTruth: Bool) {
    intervals += 1
    if containsTruth { containingTruth += 1 }
  }
}

/// Errors of the updates of a peer while it truly moves.
package struct MovingPeerErrors: Equatable, Sendable {
  /// Motions that began while the status was `converged`: seconds from each beginning to the first update that is not
  /// converged; infinite where the motion ended before.
  package var detectionDelays: [Double] = []
  /// Updates while it moved.
  package var judged = 0
  /// Of the angles among them.
  package var coverage = IntervalCoverage()

  private let motions: [ClosedRange<Timestamp>]

  /// No updates yet.
  package init(motions: [ClosedRange<Timestamp>]) { self.motions = motions }

  /// Records the detection delay of each motion; updates in time order.
  mutating func record(_ updates: [JudgedUpdate]) {
    detectionDelays = motions.compactMap { motion in
      guard let before = updates.last(where: { $0.timestamp <= motion.lowerBound }), before.isConverged else {
        return nil
      }
      let detection = updates.first { $0.timestamp > motion.lowerBound && !$0.isConverged }
      guard let detection, detection.timestamp <= motion.upperBound else { return .infinity }
      return detection.timestamp.seconds(since: motion.lowerBound)
    }
  }

  /// Records one update and whether its interval, if any, contains the true angle.
  mutating func record(at time: Timestamp, containsTruth: Bool?) {
    guard motions.contains(where: { $0.contains(time) }) else { return }
    judged += 1
    if let containsTruth { coverage.add(containsTruth) }
  }
}

/// An interval in which status and reasons of a peer stayed the same.
package struct ConvergenceSpan: Equatable, Sendable {
  /// Seconds since the peer's first update.
  package var from: Double
  /// Seconds since the peer's first update: where the next span begins.
  package var to: Double
  /// `unknown`, `notConverged`, `converged`.
  package var status: String
  /// Most important first.
  package var reasons: [String]

  /// The spans of updates in time order.
  static func spans(_ updates: [JudgedUpdate]) -> [ConvergenceSpan] {
    guard let start = updates.first?.timestamp else { return [] }
    var spans: [ConvergenceSpan] = []
    for update in updates {
      let now = update.timestamp.seconds(since: start)
      if let last = spans.indices.last {
        spans[last].to = now
        if spans[last].status == update.status, spans[last].reasons == update.reasons { continue }
      }
      spans.append(ConvergenceSpan(from: now, to: now, status: update.status, reasons: update.reasons))
    }
    return spans
  }
}
