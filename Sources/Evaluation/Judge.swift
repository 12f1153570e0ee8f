import Geometry
import SensorData

/// Holds the results of a run against the truth. It knows results and truth, never who made the results.
///
/// Keeps what it is given until the end, about 150 bytes an update: alignment needs the whole trajectory first.
package struct Judge: Sendable {
  /// What came out.
  package struct Verdict: Equatable, Sendable {
    /// The trajectory's errors; nil where nothing can be compared.
    package var trajectory: TrajectoryErrors?
    /// Per peer.
    package var peers: [String: PeerErrors]
  }

  private let truth: TruthTrajectory
  private let peers: TruthPeers
  private let bodyFromDevice: Pose
  private var poses: [(timestamp: Timestamp, worldFromBody: Pose)] = []
  private var updates: [String: [JudgedUpdate]] = [:]

  /// A judge for one recording.
  package init(truth: TruthTrajectory, peers: TruthPeers, bodyFromDevice: Pose) {
    self.truth = truth
    self.peers = peers
    self.bodyFromDevice = bodyFromDevice
  }

  /// Notes a pose of the estimated trajectory.
  package mutating func note(_ timestamp: Timestamp, worldFromBody: Pose) { poses.append((timestamp, worldFromBody)) }

  /// Notes an update of a peer.
  package mutating func note(_ update: JudgedUpdate, peer: String) { updates[peer, default: []].append(update) }

  /// The errors of everything noted.
  package func verdict() -> Verdict {
    let trajectory = TrajectoryErrors(poses, truth: truth)
    var result: [String: PeerErrors] = [:]
    for (peer, updates) in updates {
      result[peer] = PeerErrors(
        peer: peer, updates: updates, truth: truth, peers: peers, bodyFromDevice: bodyFromDevice,
        truthFromEstimate: trajectory?.truthFromEstimate)
    }
    return Verdict(trajectory: trajectory, peers: result)
  }
}
