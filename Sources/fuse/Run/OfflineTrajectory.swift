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
    guard let smoother = Smoother(rig) else { return nil }
    self.smoother = smoother
    finder.attach(record)
  }

  /// Listens to an event of the recording too: ranges reach the filter only by way of peers.
  func hear(_ event: SensorEvent) {
    if case .range(let range) = event { record.took(range) }
  }

  /// The trajectory, a pose for each of the finder's, and what there is to warn of.
  func poses(progress: (Double) -> Void = { _ in }) -> (poses: [SmoothedPose], warnings: [String]) {
    let outcome = smoother.smoothed(record, progress: progress)
    let left = outcome.stretchesLeft
    return (
      outcome.poses,
      left == 0
        ? []
        : [
          "--offline: \(Words.count(left, "stretch", plural: "stretches")) of the trajectory as the forward run left it"
        ]
    )
  }
}
