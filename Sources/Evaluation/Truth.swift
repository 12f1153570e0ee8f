import Foundation
import Geometry
import SensorData

/// The true trajectory as a function of time: linear and slerp between rows.
package struct TruthTrajectory: Sendable {
  /// Rows further apart than this have a gap between them, in which there is no truth, seconds.
  package static let longestGap = 1.0

  private let rows: [GroundTruthState]

  /// A trajectory from its rows, in any order.
  package init(_ rows: [GroundTruthState]) {
    // Sorted rows, as in files, are shared and not copied: an hour of them is the largest thing in memory.
    let isSorted = zip(rows, rows.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp }
    self.rows = isSorted ? rows : rows.sorted { $0.timestamp < $1.timestamp }
  }

  /// Whether there is no ground truth.
  package var isEmpty: Bool { rows.isEmpty }

  /// The time of the first row that is not before a time; nil after the last. O(log n).
  func firstTime(notBefore time: Timestamp) -> Timestamp? {
    rows.firstIndex(notBefore: time, by: \.timestamp).map { rows[$0].timestamp }
  }

  /// The true pose at a time; nil outside the rows and in a gap. O(log n).
  package func worldFromBody(at time: Timestamp) -> Pose? {
    guard let upper = rows.firstIndex(notBefore: time, by: \.timestamp) else { return nil }
    if rows[upper].timestamp == time { return rows[upper].worldFromBody }
    guard upper > 0 else { return nil }
    let (before, after) = (rows[upper - 1], rows[upper])
    let span = after.timestamp.seconds(since: before.timestamp)
    guard span <= Self.longestGap else { return nil }
    return before.worldFromBody.interpolated(
      to: after.worldFromBody, fraction: time.seconds(since: before.timestamp) / span)
  }
}

extension Array {
  /// The first element of this sorted array whose time is not before `time`. O(log n).
  func firstIndex(notBefore time: Timestamp, by key: (Element) -> Timestamp) -> Int? {
    let index = partitioningIndex { key($0) >= time }
    return index < count ? index : nil
  }
}

/// True positions of the peers. One row means a stationary peer; between several rows the position is linear.
package struct TruthPeers: Sendable {
  let rows: [String: [GroundTruthPeer]]

  /// Positions from the rows of all peers, in any order.
  package init(_ rows: [GroundTruthPeer]) {
    self.rows = Dictionary(grouping: rows, by: \.peer).mapValues { $0.sorted { $0.timestamp < $1.timestamp } }
  }

  /// Whether there is no ground truth.
  package var isEmpty: Bool { rows.isEmpty }

  /// Position of a stationary peer, metres; nil for an unknown peer and for one that moves.
  func stationaryPosition(of peer: String) -> Vector3? {
    guard let rows = rows[peer], rows.count == 1 else { return nil }
    return rows[0].position
  }

  /// The true position in the truth's world, metres; nil for an unknown peer, and for a moving one outside its rows.
  package func position(of peer: String, at time: Timestamp) -> Vector3? {
    guard let rows = rows[peer] else { return nil }
    if rows.count == 1 { return rows[0].position }
    guard let upper = rows.firstIndex(notBefore: time, by: \.timestamp) else { return nil }
    if rows[upper].timestamp == time { return rows[upper].position }
    guard upper > 0 else { return nil }
    let (before, after) = (rows[upper - 1], rows[upper])
    let span = after.timestamp.seconds(since: before.timestamp)
    guard span <= TruthTrajectory.longestGap else { return nil }
    return before.position + (after.position - before.position) * (time.seconds(since: before.timestamp) / span)
  }

  /// A peer slower than this is stationary, m/s.
  private static let stationarySpeed = 0.2
  /// A pause shorter than this does not end a motion, seconds.
  private static let shortestPause = 1.0

  /// The intervals in which a peer truly moves, in time order; none for a stationary or unknown one.
  package func motions(of peer: String) -> [ClosedRange<Timestamp>] {
    guard let rows = rows[peer], rows.count > 1 else { return [] }
    var motions: [ClosedRange<Timestamp>] = []
    for (before, after) in zip(rows, rows.dropFirst()) {
      let span = after.timestamp.seconds(since: before.timestamp)
      guard span > 0, (after.position - before.position).norm > Self.stationarySpeed * span else { continue }
      if let last = motions.last, before.timestamp.seconds(since: last.upperBound) < Self.shortestPause {
        motions[motions.count - 1] = last.lowerBound...after.timestamp
      } else {
        motions.append(before.timestamp...after.timestamp)
      }
    }
    return motions
  }
}

/// The true outputs for one peer at one moment: the definitions, computed from true poses.
package struct TrueView: Equatable, Sendable {
  /// The true level of a peer.
  package enum Level: String, Sendable, CaseIterable {
    case same
    case above
    case below
  }

  /// Vertical difference up to which a peer is on the device's level, metres.
  static let levelHeight = 1.2
  /// Elevation up to which it is, too, radians.
  static let levelAngle = Angle.degrees(10)

  /// Distance from the device's origin to the peer, metres.
  package var distance: Double
  /// Its horizontal part, metres.
  package var horizontalDistance: Double
  /// 0 ahead, positive right, (-pi, pi]; 0 for a peer straight above or below.
  package var horizontalAngle: Double
  /// Whether the peer is on the device's level.
  package var level: Level

  /// The view of a peer from a device, both in a world whose z is up.
  package init(worldFromDevice: Pose, peer: Vector3) {
    let line = peer - worldFromDevice.translation
    distance = line.norm
    horizontalDistance = line.horizontalNorm
    horizontalAngle =
      line.horizontalNorm > 0 ? HorizontalAngle.of(line, worldFromDevice: worldFromDevice.rotation) : 0
    let isLevel = abs(line.z) <= Self.levelHeight || abs(atan2(line.z, line.horizontalNorm)) <= Self.levelAngle
    level = isLevel ? .same : line.z > 0 ? .above : .below
  }
}
