import SensorData

/// Outcome of one frame.
package struct FrameReport: Equatable, Sendable {
  /// How the frame was treated.
  package enum Treatment: Equatable, Sendable {
    /// Not initialised: `waitingFor` gives the reason.
    case waiting
    /// The device moved: a clone was created, if the frame has features.
    case moving
    /// The device was stationary: a zero-velocity update took the clone's place.
    case still
    /// The state could not be propagated to the frame's time (out of order, or no inertial data).
    case dropped
  }

  /// The frame's time on the IMU's clock.
  package var timestamp: Timestamp
  /// How it was treated.
  package var treatment: Treatment
  /// A machine-readable reason while not initialised: `imu`, `stillness`, one of `DynamicInitializer.Refusal`, or
  /// `health` after a restart.
  package var waitingFor: String?
  /// Features in the frame.
  package var tracksSeen = 0
  /// Tracks used in an update.
  package var tracksUsed = 0
  /// Innovations of the tracks before the gate, capped: sum of `min(nis / dof, cap)` and number.
  package var innovationSum = 0.0, innovationCount = 0
  /// Noise of the tracks that the filter has learnt, in units of the images' (`imageNoise`).
  package var trackNoise = 1.0
  /// The features' noise from image to image, in units of the stated (`PixelNoiseLevel`).
  package var imageNoise = 1.0
  /// Tracks rejected by a gate.
  package var tracksRejected = 0
  /// Tracks removed as outliers: their points move.
  package var tracksOutlying = 0
  /// Updates that failed numerically and were skipped.
  package var updatesFailed = 0
  /// Motion in the image over the last half second (at least half of that).
  package var motion: ImageMotion?
  /// Median rotation-compensated parallax of the features since the last keyframe, pixels.
  package var parallax: Double?
  /// Mean brightness of the frame, 0...1, where known.
  package var meanLuma: Double?

  /// A report before processing; `time` is the frame's own on the IMU's clock.
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

  mutating func recordRestart(waitingFor reason: String) {
    treatment = .waiting
    waitingFor = reason
  }

  mutating func count(_ outcome: VisualUpdate.Outcome) {
    tracksUsed = outcome.used
    tracksRejected = outcome.rejected
    (innovationSum, innovationCount) = (outcome.innovation.sum, outcome.innovation.count)
    updatesFailed = outcome.failed
  }
}
