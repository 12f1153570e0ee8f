import SensorData

/// What became of one frame.
package struct FrameReport: Equatable, Sendable {
  /// How the frame was treated.
  package enum Treatment: Equatable, Sendable {
    /// The trajectory has not begun: `waitingFor` says why.
    case waiting
    /// The device moved: a pose was kept for the frame, if there was anything to see.
    case moving
    /// The device stood still: zero velocity was used instead.
    case still
    /// The state could not be carried to the frame's time (out of order, or no inertial data).
    case dropped
  }

  /// The frame's time on the IMU's clock.
  package var timestamp: Timestamp
  /// How it was treated.
  package var treatment: Treatment
  /// A machine-readable word while the trajectory has not begun: `imu`, `stillness`, one of `DynamicInitializer.Refusal`, or
  /// `health` after a failure.
  package var waitingFor: String?
  /// Features in the frame.
  package var tracksSeen = 0
  /// Tracks whose constraint went into an update.
  package var tracksUsed = 0
  /// Tracks that a gate refused.
  package var tracksRejected = 0
  /// Tracks that were cut off because they do not stand still in the room.
  package var tracksCut = 0
  /// Updates that were not possible numerically and were skipped.
  package var updatesFailed = 0
  /// What moved in the picture over the last half second (or what there is of it).
  package var motion: ImageMotion?
  /// Median distance, pixels, between the features and where mere turning since the last kept frame would put them.
  package var parallax: Double?
  /// Mean brightness of the frame, 0...1, where known.
  package var meanLuma: Double?

  /// Nothing has happened to the frame yet; `time` is its own on the IMU's clock.
  init(_ frame: CameraFrame, at time: Timestamp) {
    timestamp = time
    treatment = .waiting
    tracksSeen = frame.features.count
    meanLuma = frame.meanLuma
  }

  func treated(_ treatment: Treatment) -> FrameReport {
    var report = self
    report.treatment = treatment
    return report
  }

  mutating func giveUp(waitingFor reason: String) {
    treatment = .waiting
    waitingFor = reason
  }

  mutating func count(_ outcome: VisualUpdate.Outcome) {
    tracksUsed = outcome.used
    tracksRejected = outcome.rejected
    updatesFailed = outcome.failed
  }
}
