import Datasets
import Evaluation
import Premises
import SensorData

/// The ground truth of a recording, in memory: for the judge, and for the initial state if requested.
struct TruthReading {
  /// True states, in the file's order.
  private(set) var states: [GroundTruthState] = []
  /// True positions of peers, in the file's order.
  private(set) var peers: [GroundTruthPeer] = []
  /// Rows read and skipped.
  private(set) var damage: [FileDamage] = []

  /// Ground truth given in memory.
  init(states: [GroundTruthState], peers: [GroundTruthPeer]) {
    self.states = states
    self.peers = peers
  }

  /// Reads all of it; empty where there is none.
  init(_ recording: Recording) throws {
    if let reader = try recording.groundTruthStates() {
      while let row = try reader.next() { states.append(row) }
      damage.append(reader.damage)
    }
    if let reader = try recording.groundTruthPeers() {
      while let row = try reader.next() { peers.append(row) }
      damage.append(reader.damage)
    }
  }

  /// The same states with other peers.
  func with(peers: [GroundTruthPeer]) -> TruthReading {
    var copy = self
    copy.peers = peers
    return copy
  }

  /// A judge; nil without ground truth. `sharesWorld`: the run is initialised from the truth, in its world.
  func judge(_ rig: RigCalibration, sharesWorld: Bool) -> Judge? {
    guard !states.isEmpty else { return nil }
    return Judge(
      truth: TruthTrajectory(states), peers: TruthPeers(peers), bodyFromDevice: rig.bodyFromDevice,
      sharesWorld: sharesWorld)
  }

  /// A test of the truth against the sensors; nil without ground truth.
  ///
  /// - Parameter rig: the recording's, or one with another radio.
  func test(_ recording: Recording, rig: RigCalibration) throws -> TruthConsistency? {
    guard let first = states.map(\.timestamp).min(), let last = states.map(\.timestamp).max() else { return nil }
    let (trajectory, peers) = (TruthTrajectory(states), TruthPeers(peers))
    let end = max(recording.firstTimestamp, try recording.lastTimestamp())
    return TruthConsistency(
      rig: rig, truth: first...last, recording: recording.firstTimestamp...end,
      worldFromBody: { trajectory.worldFromBody(at: $0) }, peerPosition: { peers.position(of: $0, at: $1) })
  }

  /// The first true state at or after the first of some events; nil where there is none.
  func firstState(from events: [TimedEvent]) -> GroundTruthState? {
    guard let first = events.first else { return nil }
    return states.first { $0.timestamp >= first.event.timestamp }
  }

  /// The first true state at or after the run's first inertial sample.
  func firstState(of recording: Recording) throws -> GroundTruthState {
    let reader = try recording.events()
    while let event = try reader.next() {
      guard case .imu(let sample) = event.event else { continue }
      if let state = states.first(where: { $0.timestamp >= sample.timestamp }) { return state }
      break
    }
    throw CommandError("--initialize groundtruth: no true state at or after the first IMU sample")
  }
}
