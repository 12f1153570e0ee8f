/// A part of the work on recorded data whose cost is worth knowing by itself.
package enum Stage: String, CaseIterable, Sendable {
  /// All of the work on one frame, one range, one regular update of all peers, one pose of another tracker.
  case frame, range, tick, pose
  /// Carrying the trajectory on to a moment.
  case propagation
  /// Looking for a first state.
  case start
  /// Finding tracks that do not stand still.
  case screening
  /// Tracks and landmarks to linearised rows: triangulation, Jacobians, the points projected out.
  case linearisation
  /// Which rows agree with the state.
  case gates
  /// QR compression of rows.
  case compression
  /// The Kalman update of state and covariance with a frame's rows.
  case update
  /// Poses and landmarks that leave the state, and change of anchors.
  case marginalisation
  /// The rest of a frame's work: following tracks, judging rest, the window, what holds a hovering hand.
  case visualUpdate
  /// A range into the posterior of a peer that is still searched for.
  case hypotheses
  /// A range into the filter, whose state the peer is.
  case trackedRange
  /// From the posterior to what is published.
  case readout

  /// True for the stages that consist of others.
  package var isWhole: Bool {
    switch self {
    case .frame, .range, .tick, .pose: true
    default: false
    }
  }
}

/// Somebody who wants to know when a stage begins and ends. The library has no clock: whoever measures brings one.
///
/// Stages nest and end in the reverse order of their beginning. A meter changes no result.
package protocol StageMeter: AnyObject {
  /// `stage` begins, possibly within another one.
  func begin(_ stage: Stage)
  /// The stage that began last, which is `stage`, ends.
  func end(_ stage: Stage)
}

extension (any StageMeter)? {
  /// Does `work` as a stage; without a meter it is just done.
  @inline(__always)
  package func measure<Result>(_ stage: Stage, _ work: () -> Result) -> Result {
    guard let self else { return work() }
    self.begin(stage)
    defer { self.end(stage) }
    return work()
  }
}
