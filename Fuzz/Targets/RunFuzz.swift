import Datasets
import Evaluation
import Foundation
import Geometry
import Report
import RunResults
import SensorData

/// The output folder of a run, of which the input is one file: the first byte says which.
enum RunFuzz {
  private static let names = ["updates.jsonl", "trajectory.tum", "trajectory_covariance.csv", "result.json", "timing.json"]
  private static let sound: [String: String] = [
    "updates.jsonl": #"{"timestamp":1000000000,"peer":"tag","distance":3,"distanceStd":0.1,"horizontalAngle":0.1,"#
      + #""horizontalAngleStd":0.1,"horizontalAngleInterval":[-0.1,0.3],"verticalDirectionEstimate":"same","#
      + #""convergence":{"status":"converged","reasons":[]},"details":{"range":3}}"# + "\n",
    "trajectory.tum": "1.000000000 0 0 0 0 0 0 1\n", "trajectory_covariance.csv": "#\n", "timing.json": "{}\n",
    "result.json": "{\"start\": 0}\n",
  ]

  /// Reads, evaluates and draws it.
  static func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let chosen = names[Int(first) % names.count]
    for name in names { FuzzFolder.write(name, name == chosen ? Array(bytes.dropFirst()) : Array(sound[name]!.utf8)) }
    guard let run = try? RunFolder(path: FuzzFolder.path, isVerified: false) else { return }
    let truth = TruthTrajectory(
      (0..<3).map { GroundTruthState(timestamp: Timestamp(nanoseconds: $0 * 1_000_000_000), worldFromBody: .identity) })
    let peers = TruthPeers([
      GroundTruthPeer(timestamp: Timestamp(nanoseconds: 0), peer: "tag", position: Vector3(0, 3, 0))
    ])
    var judge = Judge(truth: truth, peers: peers, bodyFromDevice: .identity)
    guard (try? judge.record(run)) != nil else { return }
    let errors = judge.errors()
    _ = Figures([errors])
    let page = ReportPage.html(
      ReportInput(
        run: run, name: "fuzz", version: "0", bodyFromDevice: .identity, truth: truth, truePeers: peers, errors: errors))
    precondition(!page.isEmpty)
  }
}
