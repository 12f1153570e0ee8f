import Estimator
import Geometry
import SensorData

/// The trajectory from the inertial unit and one or two cameras.
final class InertialTrajectory: TrajectoryProvider {
  private let imu: IMUCalibration
  private let camera: CameraCalibration
  private let estimator: VisualInertialEstimator
  private var initialState: GroundTruthState?
  private var covered = Timestamp(nanoseconds: .min)
  private(set) var waitingFor: String?
  let source = "imu"
  private var witness: (any FrameObserver)?

  /// - Parameters:
  ///   - learning: what of the calibration is estimated.
  ///   - initialState: start from this state once the motion reaches it; nil: find one.
  init(
    imu: IMUCalibration, camera: CameraCalibration, second: CameraCalibration?, learning: CalibrationConfiguration,
    initialState: GroundTruthState?
  ) {
    self.imu = imu
    self.camera = camera
    var configuration = VisualInertialConfiguration()
    configuration.calibration = learning
    estimator = VisualInertialEstimator(imu: imu, camera: camera, second: second, configuration: configuration)
    self.initialState = initialState
    waitingFor = source
  }

  var filter: (any NavigationFilter)? { estimator.navigation }
  var calibration: CalibrationEstimate? { estimator.navigation?.estimate(of: camera) }

  func append(_ event: SensorEvent) {
    guard case .imu(let sample) = event, estimator.add(sample) else { return }
    covered = sample.timestamp
    witness?.took(sample)
    if let state = initialState, sample.timestamp >= state.timestamp {
      initialState = nil
      let estimate = InitialEstimate(
        truth: state, calibration: imu, angularVelocity: sample.angularVelocity)
      if estimator.start(from: estimate) { waitingFor = nil }
    }
  }

  func attach(_ meter: any StageMeter) { estimator.meter = meter }
  func attach(_ witness: any FrameObserver) { self.witness = witness }

  func covers(_ time: Timestamp) -> Bool {
    let ahead = estimator.navigation?.lookAhead ?? 0
    return ahead > 0 ? time.advanced(bySeconds: ahead) <= covered : time <= covered
  }

  func process(_ frame: CameraFrame) -> FrameOutcome? {
    // A state still to come from outside is waited for.
    guard initialState == nil else { return nil }
    // What a second camera saw belongs to a frame of the first, which has been told of.
    guard frame.camera == 0 else {
      if frame.camera == 1 { estimator.join(frame) }
      return nil
    }
    let report = estimator.process(frame)
    waitingFor = report.waitingFor
    witness?.worked(frame, report, estimator.navigation)
    switch report.treatment {
    case .waiting, .dropped: return nil
    case .moving, .still: return FrameOutcome(tracksRejected: report.tracksRejected + report.tracksCut)
    }
  }
}
