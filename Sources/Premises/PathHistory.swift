import Geometry
import SensorData

/// The device's path over the last half minute: where an antenna was.
package struct PathHistory {
  /// Poses are kept this far apart and so long, seconds; no interpolation over longer gaps.
  private static let spacing = 0.045, span = 34.0, gap = 1.0

  private var poses: [(time: Timestamp, worldFromBody: Pose)] = []

  /// No path.
  package init() {}

  /// Takes a pose in, in time order; nearer ones than `spacing` are left out.
  package mutating func append(_ worldFromBody: Pose, at time: Timestamp) {
    if let last = poses.last, time.seconds(since: last.time) < Self.spacing { return }
    poses.append((time, worldFromBody))
    if let first = poses.first, time.seconds(since: first.time) > Self.span { poses.removeFirst(poses.count / 8) }
  }

  /// A new world begins: nothing before counts.
  mutating func removeAll() { poses.removeAll(keepingCapacity: true) }

  /// When the path begins and ends; nil where there is none.
  var first: Timestamp? { poses.first?.time }
  var last: Timestamp? { poses.last?.time }

  /// The antenna's place in the world at a time, metres, between the two poses about it; nil beyond the path and in gaps.
  ///
  /// - Parameter lever: the antenna in the body frame, metres.
  func place(of lever: Vector3, at time: Timestamp) -> Vector3? {
    guard let first, let last, time >= first, time <= last else { return nil }
    let low = poses.partitioningIndex { $0.time >= time }
    guard low > 0 else { return poses[0].worldFromBody * lever }
    let (a, b) = (poses[low - 1], poses[low])
    let seconds = b.time.seconds(since: a.time)
    guard seconds < Self.gap else { return nil }
    let (from, to) = (a.worldFromBody * lever, b.worldFromBody * lever)
    return from + (to - from) * (time.seconds(since: a.time) / seconds)
  }
}
