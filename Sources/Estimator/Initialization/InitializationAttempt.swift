import CameraGeometry
import Geometry
import Inertial
import SensorData

/// One attempt of dynamic initialisation as a state machine, a few milliseconds a step, so that a start holds up no
/// frame.
///
/// All guesses descend; the one of least cost goes on. Points with large residuals are removed until none are, then
/// points that contradict all others; with the estimated noise of the tracks (tracks that drift over the scene carry
/// less information than independent observations) a last, thorough descent follows.
struct InitializationAttempt: Sendable {
  typealias Refusal = DynamicInitializer.Refusal

  /// Most steps of a descent, and of the last one.
  private static let coarse = 12, thorough = 80
  /// Most rounds of each outlier removal.
  private static let rounds = 5

  private enum Phase {
    /// The next guess is due.
    case guess
    case guessDescent(InitializationRefinement.Descent)
    /// `isSame`: the round before removed nothing.
    case residuals(InitializationRefinement.Descent, round: Int, isSame: Bool)
    case deletion(InitializationRefinement, round: Int)
    case deletionDescent(InitializationRefinement.Descent, round: Int)
    case last(InitializationRefinement.Descent)
  }

  /// Time of the state.
  let time: Timestamp
  private let initializer: DynamicInitializer
  private let intervals: [IMUInterval]
  private let rates: [Vector3]
  private let tracks: [FeatureTrack]
  /// Accepts an uncertain speed rather than no state.
  let isUrgent: Bool
  private var guesses: ArraySlice<InitializationGuess>
  private var best: InitializationRefinement?
  private var phase = Phase.guess

  /// - Throws: `.gravity` where there is no guess.
  init(
    _ initializer: DynamicInitializer, time: Timestamp, intervals: [IMUInterval], rates: [Vector3],
    tracks: [FeatureTrack], isUrgent: Bool
  ) throws(Refusal) {
    self.initializer = initializer
    self.time = time
    self.intervals = intervals
    self.rates = rates
    self.tracks = tracks
    self.isUrgent = isUrgent
    guesses = InitializationGuess.all(intervals, tracks, initializer.calibration, initializer.camera)[...]
    if guesses.isEmpty { throw .gravity }
  }

  /// Takes a step: at most one of a descent. The state once there is one, nil while there is more to do.
  mutating func advance() throws(Refusal) -> InitialEstimate? {
    switch phase {
    case .guess:
      if let guess = guesses.popFirst() {
        if let start = initializer.refinement(guess, intervals, rates, tracks) {
          phase = .guessDescent(.init(start, rounds: Self.coarse))
        }
      } else {
        guard let best else { throw .residual }
        try removeResiduals(from: best, round: 0)
      }
    case .guessDescent(var descent):
      if descent.step() == nil { phase = .guessDescent(descent) } else { compare(descent.refinement) }
    case .residuals(var descent, let round, let isSame):
      switch descent.step() {
      case nil: phase = .residuals(descent, round: round, isSame: isSame)
      case true? where isSame:
        guard descent.refinement.reducedCost <= DynamicInitializer.largestReducedCost else { throw .residual }
        phase = .deletion(descent.refinement, round: 0)
      case _?: try removeResiduals(from: descent.refinement, round: round + 1)
      }
    case .deletion(let current, let round): try removeDeletionOutliers(from: current, round: round)
    case .deletionDescent(var descent, let round):
      phase =
        descent.step() == nil ? .deletionDescent(descent, round: round) : .deletion(descent.refinement, round: round)
    case .last(var descent):
      if descent.step() != nil { return try result(descent.refinement) }
      phase = .last(descent)
    }
    return nil
  }

  private mutating func compare(_ end: InitializationRefinement) {
    if best.map({ end.cost < $0.cost }) ?? true { best = end }
    phase = .guess
  }

  /// Removes points with large residuals and begins to descend again.
  private mutating func removeResiduals(from current: InitializationRefinement, round: Int) throws(Refusal) {
    let inliers = current.residualInliers
    guard round < Self.rounds, suffices(inliers.count), let fewer = current.with(inliers) else {
      throw initializer.isHardlyMoving(current) ? .parallax : .residual
    }
    phase = .residuals(
      .init(fewer, rounds: Self.coarse), round: round, isSame: inliers.count == current.points.count)
  }

  /// Removes points inconsistent with all others and begins to descend again; without any, the last descent begins.
  private mutating func removeDeletionOutliers(from current: InitializationRefinement, round: Int) throws(Refusal) {
    guard round < Self.rounds else { throw .residual }
    guard let inliers = current.deletionInliers else {
      phase = .last(
        .init(
          try reweighted(current), rounds: Self.thorough, gain: InitializationRefinement.Descent.leastGain))
      return
    }
    guard suffices(inliers.count), let fewer = current.with(inliers) else { throw .residual }
    phase = .deletionDescent(.init(fewer, rounds: Self.coarse), round: round + 1)
  }

  private func suffices(_ inliers: Int) -> Bool {
    2 * inliers >= tracks.count && inliers >= DynamicInitializer.points.lowerBound
  }

  private func reweighted(_ current: InitializationRefinement) throws(Refusal) -> InitializationRefinement {
    let times = intervals.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1.duration) }
    let last = intervals.count, noise = current.trackNoise(times)
    if noise == TrackNoise() { return current }
    guard let reweighted = current.with(noise, spacing: times[last] / Double(last)) else { throw .residual }
    return reweighted
  }

  private func result(_ current: InitializationRefinement) throws(Refusal) -> InitialEstimate {
    let last = intervals.count
    let target = initializer.gauge.worldFromIMU(
      up: current.states[last].rotation.inverse * Vector3(0, 0, 1), bodyFromIMU: initializer.calibration.bodyFromIMU)
    guard let withGauge = current.withGauge(last, at: target) else { throw .residual }
    return try initializer.evaluated(withGauge, at: time, isUrgent: isUrgent)
  }
}
