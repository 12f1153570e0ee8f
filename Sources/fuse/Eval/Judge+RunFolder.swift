import Datasets
import Evaluation

extension Judge {
  /// Notes a whole run as it stands in its folder.
  mutating func note(_ run: RunFolder) {
    for pose in run.poses { note(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance) }
    for record in run.updates {
      if let peer = record.peer, let update = JudgedUpdate(record) { note(update, peer: peer) }
    }
  }
}

extension RunFolder {
  /// Whether the run began from the truth, in its world. Another tracker's poses stay in their own.
  var sharesWorldWithTruth: Bool {
    let asked = result?["configuration"]
    return asked?["initialize"]?.text == "groundtruth" && asked?["trajectory"]?.text == "imuAndCamera"
  }
}
