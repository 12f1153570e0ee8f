import CameraGeometry
import LeastSquares
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

/// Observes the inputs and results of the inertial filter. An observer changes no result.
package protocol FrameObserver: AnyObject {
  /// The filter received an inertial sample; samples come in time order.
  func didReceive(_ sample: IMUSample)
  /// The filter processed a frame; `navigation` is nil when there is no state.
  func didProcess(_ frame: CameraFrame, _ report: FrameReport, _ navigation: InertialNavigation?)
}

/// Motion in the image over the last half second.
package struct ImageMotion: Equatable, Sendable {
  /// Median displacement of the features, pixels.
  let disparity: Double
  /// Rotation of the image as a whole; nil where the disparity excludes a still image.
  let rotation: ImageRotation?
  /// Time interval, seconds.
  let seconds: Double

  /// Displacement always regarded as still, pixels, whatever the noise: no tracker is better over half a second.
  private static let finest = 0.3

  /// Limit of the median displacement of a still image, pixels.
  ///
  /// Noise alone gives a median of 1.67 sigma, and with few features sometimes one sigma more. The limit is larger once
  /// the device is stationary.
  static func farthest(_ camera: FilterCamera, isStationary: Bool) -> Double {
    max(finest, (isStationary ? 3 : 2) * camera.pixelNoise)
  }

  /// Whether the image is still. A hand's slow rotation is below the noise of one feature, but not below that of their
  /// mean.
  func isStill(_ camera: FilterCamera, isStationary: Bool) -> Bool {
    guard let rotation, disparity < Self.farthest(camera, isStationary: isStationary) else { return false }
    let focal = camera.lens.focalLength
    return rotation.vector.norm * focal < Self.finest
      || rotation.normalizedSquare(noise: camera.pixelNoise / focal) < ChiSquared.gate9999(3)
  }

  /// 1-sigma of an undetected rotation rate of a still image, rad/s; nil for one that is not still.
  func unseenRate(_ camera: FilterCamera) -> Double? { bound(camera).map { $0 / seconds } }

  /// 1-sigma of an undetected rotation, radians, for use as an independent error in every frame, with frames `spacing`
  /// seconds apart. A hand sways slowly, so all frames of the interval have the same error.
  func unseenRotation(_ camera: FilterCamera, every spacing: Double) -> Double? {
    let correlatedFrames = spacing > 0 ? max(seconds / spacing, 1) : 1
    return bound(camera).map { max($0 * correlatedFrames.squareRoot(), ZeroVelocityUpdate.rotationSigma) }
  }

  private func bound(_ camera: FilterCamera) -> Double? {
    rotation.map { $0.bound(noise: camera.pixelNoise / camera.lens.focalLength) }
  }
}

/// The frames of the last half second, to detect a still image.
struct RecentFrames {
  /// Length of the memory, seconds.
  static let span = 0.5
  /// Fewest common features for a decision.
  static let fewest = 10

  private var frames: [CameraFrame] = []

  /// Stores a frame and returns the motion since the oldest stored frame; nil with too few common features or too short
  /// an interval.
  mutating func motion(to frame: CameraFrame, camera: FilterCamera) -> ImageMotion? {
    frames.removeAll { frame.timestamp.seconds(since: $0.timestamp) > Self.span || $0.timestamp >= frame.timestamp }
    defer { frames.append(frame) }
    guard let oldest = frames.first, case let seconds = frame.timestamp.seconds(since: oldest.timestamp),
      seconds > 0.5 * Self.span,
      let (pixels, count) = Disparity.median(from: oldest.features, to: frame.features), count >= Self.fewest
    else { return nil }
    let rotation =
      pixels < ImageMotion.farthest(camera, isStationary: true)
      ? ImageRotation(from: oldest.features, to: frame.features, lens: camera.lens, fewest: Self.fewest) : nil
    return ImageMotion(disparity: pixels, rotation: rotation, seconds: seconds)
  }
}
