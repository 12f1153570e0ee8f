import Datasets
import Evaluation
import Geometry

/// All that a report is made of: a run, and what is known of its recording.
package struct ReportInput: Sendable {
  /// The run.
  package var run: RunFolder
  /// What the run is called on the page.
  package var name: String
  /// The program's version.
  package var version: String
  /// Device axes in the body; nil where the recording is not known: then no heading can be drawn.
  package var bodyFromDevice: Pose?
  /// The true trajectory; empty where there is none.
  package var truth: TruthTrajectory
  /// The true places of the peers; empty where there are none.
  package var truePeers: TruthPeers
  /// What the judge says of the run. A judge without a truth still tells the spans of convergence.
  package var verdict: Judge.Verdict

  /// An input from its parts.
  package init(
    run: RunFolder, name: String, version: String, bodyFromDevice: Pose?, truth: TruthTrajectory,
    truePeers: TruthPeers, verdict: Judge.Verdict
  ) {
    self.run = run
    self.name = name
    self.version = version
    self.bodyFromDevice = bodyFromDevice
    self.truth = truth
    self.truePeers = truePeers
    self.verdict = verdict
  }
}
