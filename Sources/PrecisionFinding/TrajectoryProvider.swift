import Estimator
import SensorData

/// Whoever turns motion data into a trajectory: IMU and camera, or another tracker's poses.
protocol TrajectoryProvider: AnyObject {
  /// The filter; nil until the trajectory has begun, and again while it restarts.
  var filter: (any NavigationFilter)? { get }
  /// What it is made of, as `waitingFor` spells it.
  var source: String { get }
  /// Takes motion data in (IMU or odometry); others are ignored.
  func append(_ event: SensorEvent)
  /// True when the motion up to `time` is known, so that what was seen or ranged then can be worked in.
  func covers(_ time: Timestamp) -> Bool
  /// Works a frame in. Returns nil when it could not be used.
  func process(_ frame: CameraFrame) -> FrameOutcome?
  /// Why the trajectory has not begun, a machine-readable word; nil once it has.
  var waitingFor: String? { get }
  /// What online calibration has made of the camera's; nil where there is none, or no filter.
  var calibration: CalibrationEstimate? { get }
  /// Tells `meter` of stages within this one's work from now on.
  func attach(_ meter: any StageMeter)
  /// Tells `witness` of everything that goes into an inertial filter from now on.
  func attach(_ witness: any FrameObserver)
}

/// What became of a frame.
struct FrameOutcome {
  /// Tracks that a gate refused, or that do not stand still in the room.
  var tracksRejected: Int
}

extension TrajectoryProvider {
  var calibration: CalibrationEstimate? { nil }
}
