import Datasets
import Evaluation
import Geometry
import JSONText
import RunResults
import SensorData

/// Counts over the updates of a peer while it moves, or while it rests, that `fuse eval` does not tell.
struct PeerTally: Sendable {
  /// What is counted.
  enum Count: String, CaseIterable, Sendable {
    case updates
    /// Updates with an angle.
    case angles
    /// Angles whose 90 % interval holds the truth.
    case covered
    /// Angles over 20 degrees off, of a peer a metre away or more.
    case wrong
    /// Updates with a distance.
    case distances
    /// Distances whose 90 % interval holds the truth.
    case distancesCovered
    /// Updates that call the peer moving.
    case calledMoving
  }

  private var counts: [Count: Int] = [:]

  subscript(count: Count) -> Int {
    get { counts[count, default: 0] }
    set { counts[count] = newValue }
  }

  init() {}

  /// Of a row.
  init(_ json: JSONValue?) { for count in Count.allCases { self[count] = Int(json?[count.rawValue]?.double ?? 0) } }

  var json: JSONValue { .object(Count.allCases.map { .init(key: $0.rawValue, value: .integer(self[$0])) }) }
}

/// The tallies of one peer.
struct LinkTally: Sendable {
  var moving = PeerTally()
  var resting = PeerTally()

  init() {}

  init(_ json: JSONValue) { (moving, resting) = (PeerTally(json["moving"]), PeerTally(json["resting"])) }

  var json: JSONValue { ["moving": moving.json, "resting": resting.json] }

  /// A count in both states.
  subscript(count: PeerTally.Count) -> Int { moving[count] + resting[count] }

  /// Whether over 1 % of the angles are over 20 degrees off.
  var isOftenWrong: Bool { Double(self[.wrong]) > 0.01 * Double(self[.angles]) }
}

/// The true places and attitudes of a recorded world, for tallies.
struct WorldTruth {
  private let states: [GroundTruthState]
  private let trajectory: TruthTrajectory
  private let rows: [String: [GroundTruthPeer]]
  private let peers: TruthPeers
  /// A peer that is faster moves, m/s.
  private static let movingSpeed = 0.05

  /// The truth of a recording.
  ///
  /// - Throws: `DatasetError`; `LabError` where it has none.
  init(_ recording: Recording) throws {
    var (states, peers): ([GroundTruthState], [GroundTruthPeer]) = ([], [])
    if let reader = try recording.groundTruthStates() { while let row = try reader.next() { states.append(row) } }
    if let reader = try recording.groundTruthPeers() { while let row = try reader.next() { peers.append(row) } }
    guard !states.isEmpty else { throw LabError("\(recording.path): found no ground truth, expected a recorded world") }
    (self.states, trajectory) = (states, TruthTrajectory(states))
    (rows, self.peers) = (Dictionary(grouping: peers, by: \.peer), TruthPeers(peers))
  }

  /// The tallies of the updates in a run's folder, peers in the order in which they appear.
  ///
  /// - Throws: `DatasetError`.
  func tallies(of updates: UpdateReader) throws -> [(peer: String, tally: LinkTally)] {
    var links: [(peer: String, tally: LinkTally)] = []
    while let update = try updates.next() {
      guard let peer = update.peer, states[0].timestamp <= update.timestamp,
        update.timestamp <= states[states.count - 1].timestamp
      else { continue }
      let index = links.firstIndex { $0.peer == peer } ?? links.count
      if index == links.count { links.append((peer, LinkTally())) }
      let state = isMoving(peer, at: update.timestamp) ? \LinkTally.moving : \.resting
      count(update, view(of: peer, at: update.timestamp), in: &links[index].tally[keyPath: state])
    }
    return links
  }

  private func count(_ update: UpdateRecord, _ truth: TrueView?, in tally: inout PeerTally) {
    tally[.updates] += 1
    if let walking = update.details["walking"]?.double, walking > 0.5 { tally[.calledMoving] += 1 }
    if let truth, let distance = update.distance, let deviation = update.distanceStandardDeviation {
      tally[.distances] += 1
      if abs(distance - truth.distance) <= 1.645 * deviation { tally[.distancesCovered] += 1 }
    }
    guard let angle = update.horizontalAngle else { return }
    tally[.angles] += 1
    // Two tags under one id: no angle is right.
    guard let truth else { return tally[.wrong] += 1 }
    let middle = (angle.low + angle.high) / 2
    if abs(Angle.wrapped(truth.horizontalAngle - middle)) <= (angle.high - angle.low) / 2 { tally[.covered] += 1 }
    let error = abs(Angle.wrapped(angle.value - truth.horizontalAngle))
    if error > Angle.degrees(20), truth.horizontalDistance >= 1 { tally[.wrong] += 1 }
  }

  /// The view of a peer; nil for one that has no truth. The attitude is that of the next row.
  private func view(of peer: String, at time: Timestamp) -> TrueView? {
    let next = states[min(states.partitioningIndex { $0.timestamp >= time }, states.count - 1)]
    guard var pose = trajectory.worldFromBody(at: time), let place = place(of: peer, at: time) else { return nil }
    pose.rotation = next.worldFromBody.rotation
    return TrueView(worldFromDevice: pose, peer: place)
  }

  private func isMoving(_ peer: String, at time: Timestamp) -> Bool {
    guard let before = place(of: peer, at: time.advanced(bySeconds: -0.1)),
      let after = place(of: peer, at: time.advanced(bySeconds: 0.1))
    else { return false }
    return (after - before).norm / 0.2 > Self.movingSpeed
  }

  /// Where a peer is; before its first row and after its last where that is.
  private func place(of peer: String, at time: Timestamp) -> Vector3? {
    guard let rows = rows[peer], let first = rows.first, let last = rows.last else { return nil }
    return peers.position(of: peer, at: min(max(time, first.timestamp), last.timestamp))
  }
}
