import Estimator
import Foundation
import Geometry
import Premises
import SensorData

/// Finds peers: sensor events go in, in arrival order; updates come out, in time order.
///
/// Deterministic and without a clock or I/O of its own: the same events give the same outputs. An update at t uses
/// events stamped up to t plus the reorder window (or the next odometry pose), and nothing else.
public final class PrecisionFinder {
  /// An action to perform at its time, once the motion up to then is known.
  enum Action {
    case frame(CameraFrame, at: Timestamp)
    case range(RangeMeasurement)
    case device(DeviceEvent)
    case pose(Timestamp)
    case tick(Timestamp)

    var time: Timestamp {
      switch self {
      case .frame(_, let time): time
      case .range(let range): range.timestamp
      case .device(let event): event.timestamp
      case .pose(let time), .tick(let time): time
      }
    }
  }

  let rig: RigCalibration
  let configuration: FinderConfiguration
  let useOdometry: Bool
  let trajectory: any TrajectoryProvider
  /// Largest delay of frames' stamps after their exposure, seconds.
  let frameLag: Double
  let builder: UpdateBuilder
  var buffer: ReorderBuffer
  var actions: [Action] = []
  var clock = Timestamp(nanoseconds: .min)
  var nextTick: Timestamp?
  var silence = SilenceAllowance()
  var links: [String: PeerLink] = [:]
  var hysteresis: [String: OutputHysteresis] = [:]
  /// Motion that peers reported last.
  var reportedMoving: [String: Bool] = [:]
  var zones: [String: ZoneFollower] = [:]
  var startedFilter: (any NavigationFilter)?
  var wasPositionLost = false
  var camera: CameraHealthMonitor
  /// Nil where every camera has a global shutter.
  var shutter: RollingShutter?
  /// Whether the first camera has one that is not stated; nil once that is known.
  var rowTime: RowTimeEstimate?
  let premises: PremiseMonitor
  /// Events that the premises have not seen: those later than the newest action.
  var unobserved: [SensorEvent] = []
  var session = Convergence(status: .unknown)
  var outputs: [FinderOutput] = []
  var hasEnded = false
  var meter: (any StageMeter)?
  var explanationObserver: (any ExplanationObserver)?
  /// Statistics so far.
  public internal(set) var summary = FinderSummary()

  /// A finder for one device.
  ///
  /// - Parameters:
  ///   - useOdometry: use the trajectory from `odometry` events instead of IMU and camera.
  ///   - initialState: initialise from this state instead of finding one (`--initialize groundtruth`).
  public init(
    rig: RigCalibration, configuration: FinderConfiguration = FinderConfiguration(), useOdometry: Bool,
    initialState: GroundTruthState? = nil
  ) {
    self.rig = rig
    self.configuration = configuration
    self.useOdometry = useOdometry
    buffer = ReorderBuffer(window: configuration.reorderWindow)
    camera = CameraHealthMonitor(configuration)
    shutter = useOdometry ? nil : RollingShutter(rig)
    rowTime = useOdometry ? nil : RowTimeEstimate(rig)
    builder = UpdateBuilder(configuration)
    premises = PremiseMonitor(
      rig: rig, usesOdometry: useOdometry, calibrates: configuration.calibration.online,
      ranging: configuration.ranging)
    if !useOdometry, let imu = rig.imu, let first = rig.cameras.first {
      trajectory = InertialTrajectory(
        imu: imu, camera: first, second: rig.cameras.dropFirst().first, learning: configuration.calibration,
        learnsPixelNoise: configuration.learnsPixelNoise, initialState: initialState)
      frameLag = max(-first.timeOffset, 0)
    } else {
      frameLag = 0
      trajectory = OdometryTrajectory(
        rig.odometry ?? OdometryCalibration(), driftScale: configuration.odometryDriftScale)
    }
  }

  /// Premises that the data refute and errors that were handled, in the order in which they were found.
  public var diagnoses: [Diagnosis] { premises.verdict.diagnoses }

  /// The online calibration of the first camera so far; nil without it, or without a trajectory.
  public var calibration: CalibrationEstimate? { trajectory.calibration }

  /// Reports every stage to `meter` from now on.
  package func attach(_ meter: any StageMeter) {
    self.meter = meter
    trajectory.attach(meter)
  }

  /// Reports the inertial filter's input to `observer` from now on.
  package func attach(_ observer: any FrameObserver) { trajectory.attach(observer) }

  /// Explains updates to `observer` from now on.
  package func attach(_ observer: any ExplanationObserver) { explanationObserver = observer }

  /// Processes one event, in arrival order, and returns the outputs that are due.
  public func process(_ event: TimedEvent) -> [FinderOutput] {
    switch buffer.insert(event) {
    case .held: break
    case .late: recordLate(event)
    case .duplicate, .notFinite: summary.unusableEvents += 1
    }
    buffer.release().forEach(admit)
    return zoned(drain())
  }

  private func recordLate(_ event: TimedEvent) {
    summary.lateEvents += 1
    guard case .range(let range) = event.event else { return }
    summary.lateRanges += 1
    summary.latestRange = max(summary.latestRange, buffer.clock.seconds(since: range.timestamp))
  }

  /// Ends the input and returns the outputs that were held back for late data.
  public func finish() -> [FinderOutput] {
    buffer.flush().forEach(admit)
    for frame in shutter?.flush(gyroscopeBias: gyroscopeBias) ?? [] { take(.frame(frame)) }
    hasEnded = true
    defer { observePremises(through: nil) }
    return zoned(drain())
  }
}
