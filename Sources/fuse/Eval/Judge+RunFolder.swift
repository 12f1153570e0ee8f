import Datasets
import Evaluation

extension Judge {
  /// Records a whole run from its folder.
  mutating func record(_ run: RunFolder) {
    for pose in run.poses { record(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance) }
    for line in run.updates {
      if let peer = line.peer, let update = JudgedUpdate(line) { record(update, peer: peer) }
    }
  }
}

extension RunFolder {
  /// Whether the run was initialised from the ground truth, in its world. External odometry keeps its own world.
  var sharesWorldWithTruth: Bool {
    let configuration = result?["configuration"]
    return configuration?["initialize"]?.text == "groundtruth" && configuration?["trajectory"]?.text == "imuAndCamera"
  }
}
