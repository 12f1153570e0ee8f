/// A stage of processing with its own cost measurement.
package enum Stage: String, CaseIterable, Sendable {
  /// All processing of one frame, one range, one periodic update of all peers, one odometry pose.
  case frame, range, tick, pose
  /// IMU propagation.
  case propagation
  /// Initialisation.
  case start
  /// Epipolar outlier rejection.
  case screening
  /// Tracks and landmarks to linearised rows: triangulation, Jacobians, null-space projection.
  case linearisation
  /// Chi-square gates.
  case gates
  /// QR compression.
  case compression
  /// Kalman update of state and covariance with a frame's rows.
  case update
  /// Marginalisation of clones and landmarks, and re-anchoring.
  case marginalisation
  /// The rest of a frame: track bookkeeping, zero-velocity detection, clone window, hover update.
  case visualUpdate
  /// A range update of a peer's Gaussian sum.
  case hypotheses
  /// From the posterior to the published estimate.
  case readout

  /// True for stages that contain others.
  package var isWhole: Bool {
    switch self {
    case .frame, .range, .tick, .pose: true
    default: false
    }
  }
}

/// Receives start and end of stages. The library has no clock; the meter brings its own.
///
/// Stages nest and end in reverse order. A meter changes no result.
package protocol StageMeter: AnyObject {
  /// `stage` starts, possibly within another one.
  func begin(_ stage: Stage)
  /// The stage that started last, which is `stage`, ends.
  func end(_ stage: Stage)
}

extension (any StageMeter)? {
  /// Runs `work` as a stage; without a meter just runs it.
  @inline(__always)
  package func measure<Result>(_ stage: Stage, _ work: () -> Result) -> Result {
    guard let self else { return work() }
    self.begin(stage)
    defer { self.end(stage) }
    return work()
  }
}
