import Estimator
import SensorData

/// The trajectory from another tracker's poses.
final class OdometryTrajectory: TrajectoryProvider {
  private let calibration: OdometryCalibration
  private var odometry: OdometryFilter?

  private let doubt: Double

  /// - Parameter doubt: as in `OdometryFilter`.
  init(_ calibration: OdometryCalibration, doubt: Double) { (self.calibration, self.doubt) = (calibration, doubt) }

  var filter: (any NavigationFilter)? { odometry }
  var waitingFor: String? { odometry == nil ? source : nil }
  let source = "odometry"

  func append(_ event: SensorEvent) {
    guard case .odometry(let pose) = event else { return }
    if let odometry {
      odometry.append(pose)
    } else {
      odometry = OdometryFilter(calibration: calibration, first: pose, doubt: doubt)
    }
  }

  func covers(_ time: Timestamp) -> Bool { odometry.map { time <= $0.coveredUntil } ?? false }
  func process(_ frame: CameraFrame) -> FrameOutcome? { nil }
  func attach(_ meter: any StageMeter) {}
  func attach(_ witness: any FrameObserver) {}
}
