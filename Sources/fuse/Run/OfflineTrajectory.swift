import Estimator
import PrecisionFinding
import SensorData
import Smoothing

/// `--offline`: records the forward run, then smooths its trajectory over the whole recording.
final class OfflineTrajectory {
  private let record = ForwardRecord()
  private let smoother: Smoother
  private var outcome = Smoother.Outcome()

  /// Records `finder` from now on; nil where the rig lacks IMU or camera for a trajectory.
  init?(_ finder: PrecisionFinder, _ rig: RigCalibration) {
    guard let smoother = Smoother(rig) else { return nil }
    self.smoother = smoother
    finder.attach(record)
  }

  /// Records an event of the recording, too: ranges reach the filter only through peers. A long recording is smoothed part by part.
  func observe(_ event: SensorEvent) {
    smoother.smoothCompleted(record, into: &outcome)
    if case .range(let range) = event { record.didReceive(range) }
  }

  /// The trajectory, a pose for each of the finder's, and warnings.
  func poses(progress: (Double) -> Void = { _ in }) -> (poses: [SmoothedPose], warnings: [String]) {
    smoother.smoothRest(of: record, into: &outcome, progress: progress)
    let left = outcome.unsmoothedSegments
    return (
      outcome.poses,
      left == 0
        ? []
        : [
          "--offline: \(Words.count(left, "stretch", plural: "stretches")) of the trajectory not smoothed"
        ]
    )
  }
}
