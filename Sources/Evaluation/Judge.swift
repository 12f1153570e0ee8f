import Geometry
import SensorData

/// Holds the results of a run against the truth. It knows results and truth, never who made the results.
///
/// Keeps what it is given until the end, about 250 bytes an update or a pose: alignment needs the whole trajectory first.
package struct Judge: Sendable {
  /// What came out.
  package struct Verdict: Sendable {
    /// The trajectory's errors; nil where nothing can be compared.
    package var trajectory: TrajectoryErrors?
    /// Per peer.
    package var peers: [String: PeerErrors]
    /// What the ideal observer would have made of the same ranges; empty where it was not asked.
    package var ideal: [String: IdealErrors] = [:]
  }

  private let truth: TruthTrajectory
  private let peers: TruthPeers
  private let bodyFromDevice: Pose
  private let sharesWorld: Bool
  private var poses: [EstimatedPose] = []
  private var updates: [String: [JudgedUpdate]] = [:]

  /// A judge for one recording.
  ///
  /// - Parameter sharesWorld: the run began from the truth, in the truth's world.
  package init(truth: TruthTrajectory, peers: TruthPeers, bodyFromDevice: Pose, sharesWorld: Bool = false) {
    self.truth = truth
    self.peers = peers
    self.bodyFromDevice = bodyFromDevice
    self.sharesWorld = sharesWorld
  }

  /// Notes a pose of the estimated trajectory and, where it is told, its covariance.
  package mutating func note(_ timestamp: Timestamp, worldFromBody: Pose, covariance: PoseCovariance? = nil) {
    poses.append(EstimatedPose(timestamp: timestamp, worldFromBody: worldFromBody, covariance: covariance))
  }

  /// Notes an update of a peer.
  package mutating func note(_ update: JudgedUpdate, peer: String) { updates[peer, default: []].append(update) }

  /// The errors of everything noted.
  package func verdict() -> Verdict {
    let trajectory = TrajectoryErrors(poses, truth: truth, sharesWorld: sharesWorld)
    var result: [String: PeerErrors] = [:]
    for (peer, updates) in updates {
      result[peer] = PeerErrors(
        peer: peer, updates: updates, truth: truth, peers: peers, bodyFromDevice: bodyFromDevice,
        truthFromEstimate: trajectory?.truthFromEstimate)
    }
    return Verdict(trajectory: trajectory, peers: result)
  }
}
