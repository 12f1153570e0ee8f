import Estimator
import SensorData

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
