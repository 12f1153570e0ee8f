import Datasets
import Evaluation
import Geometry

/// The input of a report: a run, and the known data of its recording.
package struct ReportInput: Sendable {
  /// The run.
  package var run: RunFolder
  /// The name of the run on the page.
  package var name: String
  /// The program's version.
  package var version: String
  /// Device axes in the body; nil without the recording: then no heading is drawn.
  package var bodyFromDevice: Pose?
  /// The true trajectory; empty where there is none.
  package var truth: TruthTrajectory
  /// The true positions of the peers; empty where there are none.
  package var truePeers: TruthPeers
  /// Errors of the run. Without ground truth they still contain the spans of convergence.
  package var errors: Judge.Errors
  /// The run's verdict; nil for a run of a version that had none.
  package var verdict: RunVerdict?
  /// Where each peer may be, over time; empty where the recording was not replayed.
  package var posterior: [String: [PosteriorMoment]] = [:]
  /// What the camera saw; nil where the recording was not replayed, or has no camera.
  package var camera: CameraView?

  /// An input from its parts.
  package init(
    run: RunFolder, name: String, version: String, bodyFromDevice: Pose?, truth: TruthTrajectory,
    truePeers: TruthPeers, errors: Judge.Errors, verdict: RunVerdict? = nil,
    posterior: [String: [PosteriorMoment]] = [:],
    camera: CameraView? = nil
  ) {
    self.run = run
    self.name = name
    self.version = version
    self.bodyFromDevice = bodyFromDevice
    self.truth = truth
    self.truePeers = truePeers
    self.errors = errors
    self.verdict = verdict ?? run.verdict
    self.posterior = posterior
    self.camera = camera
  }
}
