import Estimator
import PrecisionFinding
import SensorData
import Smoothing

/// `--offline`: listens to the forward run, then makes its trajectory anew from the whole recording.
struct OfflineTrajectory {
  private let record = ForwardRecord()
  private let smoother: Smoother

  /// Listens to `finder` from now on; nil where the rig has no IMU and camera to make a trajectory from.
  init?(_ finder: PrecisionFinder, _ rig: RigCalibration) {
    guard let imu = rig.imu, let camera = rig.cameras.first else { return nil }
    smoother = Smoother(imu: imu, camera: camera)
    finder.attach(record)
  }

  /// The trajectory, a pose for each of the finder's, and what there is to warn of.
  func poses(progress: (Double) -> Void = { _ in }) -> (poses: [SmoothedPose], warnings: [String]) {
    let outcome = smoother.smoothed(record, progress: progress)
    let left = outcome.stretchesLeft
    return (
      outcome.poses,
      left == 0 ? [] : ["--offline: \(Words.count(left, "stretch", plural: "stretches")) of the trajectory as the forward run left it"]
    )
  }
}
