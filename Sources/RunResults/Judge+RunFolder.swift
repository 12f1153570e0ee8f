import Datasets
import Evaluation

extension Judge {
  /// Records a whole run from its folder.
  ///
  /// - Throws: `DatasetError`.
  package mutating func record(_ run: RunFolder) throws(DatasetError) {
    let poses = try PoseReader(folder: run.path)
    while let pose = try poses.next() {
      if pose.beginsWorld { beginWorld(at: pose.timestamp) }
      record(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
    }
    let reader = try UpdateReader(folder: run.path)
    while let line = try reader.next() {
      if let peer = line.peer, let update = JudgedUpdate(line) { record(update, peer: peer) }
    }
  }
}

extension RunFolder {
  /// Whether the run was initialised from the ground truth, in its world. External odometry keeps its own world.
  package var sharesWorldWithTruth: Bool {
    let configuration = result?["configuration"]
    return configuration?["initialize"]?.text == "groundtruth" && configuration?["trajectory"]?.text == "imuAndCamera"
  }
}
