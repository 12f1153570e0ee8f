import Estimator
import Geometry
import SensorData

/// Source of the trajectory: IMU and camera, or another tracker's poses.
protocol TrajectoryProvider: AnyObject {
  /// The filter; nil until the trajectory has started, and again while it restarts.
  var filter: (any NavigationFilter)? { get }
  /// Its kind of data, as `waitingFor` spells it.
  var source: String { get }
  /// Appends motion data (IMU or odometry); other events are ignored.
  func append(_ event: SensorEvent)
  /// True when the motion up to `time` is known, so that frames and ranges of that time can be processed.
  func covers(_ time: Timestamp) -> Bool
  /// Processes a frame. Returns nil when it could not be used.
  func process(_ frame: CameraFrame) -> FrameOutcome?
  /// Why the trajectory has not started, a machine-readable word; nil once it has.
  var waitingFor: String? { get }
  /// Online calibration of the camera; nil where there is none, or no filter.
  var calibration: CalibrationEstimate? { get }
  /// Reports its stages to `meter` from now on.
  func attach(_ meter: any StageMeter)
  /// Reports the inertial filter's input to `observer` from now on.
  func attach(_ observer: any FrameObserver)
}

/// Result of a frame.
struct FrameOutcome {
  /// Tracks that a gate rejected, or that do not stand still in the room.
  var tracksRejected: Int
  /// Innovations of the tracks before the gate, capped: sum of `min(nis / dof, cap)` and number.
  var innovationSum = 0.0, innovationCount = 0
  /// Noise of the tracks that the filter has learnt, in units of the images' (`imageNoise`).
  var trackNoise = 1.0
  /// The features' noise from image to image, in units of the stated.
  var imageNoise = 1.0
}

extension TrajectoryProvider {
  var calibration: CalibrationEstimate? { nil }
}

extension NavigationFilter {
  /// 1-sigma of the velocity from which on the trajectory is lost, m/s: within 1 s it errs by as much as a radio.
  private static var lostVelocity: Double { 0.1 }
  /// Whether the trajectory is lost (darkness): then ranges contradict it, not a peer's position.
  var isTrajectoryLost: Bool { isPositionLost || velocitySigma >= Self.lostVelocity }
}

/// The trajectory from the IMU and one or two cameras.
final class InertialTrajectory: TrajectoryProvider {
  private let imu: IMUCalibration
  private let camera: CameraCalibration
  private let estimator: VisualInertialEstimator
  private var initialState: GroundTruthState?
  private var covered = Timestamp(nanoseconds: .min)
  private(set) var waitingFor: String?
  let source = "imu"
  private var observer: (any FrameObserver)?

  /// - Parameters:
  ///   - learnsPixelNoise: whether the features' noise is learnt from the images.
  ///   - learning: which parts of the calibration are estimated.
  ///   - initialState: initialise from this state once the motion reaches it; nil: find one.
  init(
    imu: IMUCalibration, camera: CameraCalibration, second: CameraCalibration?, learning: CalibrationConfiguration,
    learnsPixelNoise: Bool, initialState: GroundTruthState?
  ) {
    self.imu = imu
    self.camera = camera
    var configuration = VisualInertialConfiguration()
    configuration.calibration = learning
    configuration.learnsPixelNoise = learnsPixelNoise
    estimator = VisualInertialEstimator(imu: imu, camera: camera, second: second, configuration: configuration)
    self.initialState = initialState
    waitingFor = source
  }

  var filter: (any NavigationFilter)? { estimator.navigation }
  var calibration: CalibrationEstimate? { estimator.navigation?.estimate(of: camera) }

  func append(_ event: SensorEvent) {
    guard case .imu(let sample) = event, estimator.add(sample) else { return }
    covered = sample.timestamp
    observer?.didReceive(sample)
    if let state = initialState, sample.timestamp >= state.timestamp {
      initialState = nil
      let estimate = InitialEstimate(
        truth: state, calibration: imu, angularVelocity: sample.angularVelocity)
      if estimator.start(from: estimate) { waitingFor = nil }
    }
  }

  func attach(_ meter: any StageMeter) { estimator.meter = meter }
  func attach(_ observer: any FrameObserver) { self.observer = observer }

  func covers(_ time: Timestamp) -> Bool {
    let ahead = estimator.navigation?.lookAhead ?? 0
    return ahead > 0 ? time.advanced(bySeconds: ahead) <= covered : time <= covered
  }

  func process(_ frame: CameraFrame) -> FrameOutcome? {
    // A given initial state that is still to come is waited for.
    guard initialState == nil else { return nil }
    // Frames of the second camera belong to a frame of the first, which is reported.
    guard frame.camera == 0 else {
      if frame.camera == 1 { estimator.join(frame) }
      return nil
    }
    let report = estimator.process(frame)
    waitingFor = report.waitingFor
    observer?.didProcess(frame, report, estimator.navigation)
    switch report.treatment {
    case .waiting, .dropped: return nil
    case .moving, .still:
      return FrameOutcome(
        tracksRejected: report.tracksRejected + report.tracksOutlying, innovationSum: report.innovationSum,
        innovationCount: report.innovationCount, trackNoise: report.trackNoise,
        imageNoise: report.imageNoise)
    }
  }
}

/// The trajectory from another tracker's poses.
final class OdometryTrajectory: TrajectoryProvider {
  private let calibration: OdometryCalibration
  private var odometry: OdometryFilter?

  private let driftScale: Double

  /// - Parameter driftScale: as in `OdometryFilter`.
  init(_ calibration: OdometryCalibration, driftScale: Double) {
    (self.calibration, self.driftScale) = (calibration, driftScale)
  }

  var filter: (any NavigationFilter)? { odometry }
  var waitingFor: String? { odometry == nil ? source : nil }
  let source = "odometry"

  func append(_ event: SensorEvent) {
    guard case .odometry(let pose) = event else { return }
    if let odometry {
      odometry.append(pose)
    } else {
      odometry = OdometryFilter(calibration: calibration, first: pose, driftScale: driftScale)
    }
  }

  func covers(_ time: Timestamp) -> Bool { odometry.map { time <= $0.coveredUntil } ?? false }
  func process(_ frame: CameraFrame) -> FrameOutcome? { nil }
  func attach(_ meter: any StageMeter) {}
  func attach(_ observer: any FrameObserver) {}
}

/// Monitors whether the camera contributes: a pure state machine over frames.
///
/// The number of tracked features decides, not the brightness. The cause of too few is the reported view of the image,
/// else its mean luma.
package struct CameraHealthMonitor {
  private let darkLuma: Double
  private let fewFeatures: Int
  private let delay: Double
  private var lastGood: Timestamp?
  private var isViewClassified = false
  /// Delay for frames whose view was reported, seconds; where only tracks are few it takes `darkDelay`.
  private static let classifiedDelay = 0.3
  /// Features in the newest frame.
  package private(set) var features = 0
  /// Why the newest frame was not usable; nil when it was.
  package private(set) var cause: String?

  package init(_ configuration: FinderConfiguration) {
    darkLuma = configuration.darkLuma
    fewFeatures = configuration.fewFeatures
    delay = configuration.darkDelay
  }

  /// Updates with a frame.
  package mutating func update(_ frame: CameraFrame) {
    features = frame.features.count
    if features < fewFeatures {
      isViewClassified = frame.view != nil
      cause = why(frame).rawValue
    } else {
      isViewClassified = false
      cause = nil
      lastGood = frame.timestamp
    }
    if lastGood == nil { lastGood = frame.timestamp }
  }

  /// True when no frame was usable for longer than the delay; nil before the first frame.
  package func isBlind(at time: Timestamp) -> Bool? {
    lastGood.map { time.seconds(since: $0) > (isViewClassified ? min(delay, Self.classifiedDelay) : delay) }
  }

  private func why(_ frame: CameraFrame) -> PublicationObstacle {
    switch frame.view {
    case .dark: .dark
    case .covered: .covered
    case .blurred: .excessiveMotion
    case .blank, .clear, nil: frame.meanLuma.map { $0 < darkLuma } == true ? .dark : .fewFeatures
    }
  }

  /// The cause at `time`, as a machine-readable word.
  package func word(at time: Timestamp) -> String { cause ?? PublicationObstacle.cameraUnavailable.rawValue }
}
