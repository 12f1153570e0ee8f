import Estimator
import Geometry
import SensorData

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
