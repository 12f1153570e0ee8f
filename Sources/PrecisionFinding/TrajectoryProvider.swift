import Estimator
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
