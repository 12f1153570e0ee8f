import Foundation
import Geometry
import SensorData

/// The newest inertial samples, dead-reckoned without bias or gravity: rotation, and first and second integral of specific force.
///
/// With R from the axes at sample i to those at the first sample, `R_{i+1} = R_i Exp(w dt)` (trapezoid),
/// `V = integral R f dt`, `X = integral V dt`. All in the IMU's axes at the oldest kept sample; only differences are used.
package struct InertialHistory {
  /// One sample and the integrals up to it.
  package struct Node {
    package var time: Timestamp
    package var angularVelocity: Vector3
    package var specificForce: Vector3
    package var rotation: Rotation
    package var velocity: Vector3
    package var position: Vector3
  }

  /// Samples farther apart than this are not bridged, seconds.
  static let longestGap = 0.1
  /// How far back samples are kept, seconds.
  static let span = 12.0

  package init() {}

  private(set) var nodes: [Node] = []
  private var first = 0

  /// Appends a sample; a gap or a step back in time begins again.
  package mutating func append(_ sample: IMUSample) {
    guard let last = nodes.last else { return begin(sample) }
    let dt = sample.timestamp.seconds(since: last.time)
    guard dt > 0, dt <= Self.longestGap else {
      if dt > 0 { begin(sample) }
      return
    }
    let rate = (last.angularVelocity + sample.angularVelocity) * 0.5
    let rotation = last.rotation * .exp(rate * dt)
    let force = (last.rotation * last.specificForce + rotation * sample.specificForce) * 0.5
    nodes.append(
      Node(
        time: sample.timestamp, angularVelocity: sample.angularVelocity, specificForce: sample.specificForce,
        rotation: rotation, velocity: last.velocity + force * dt,
        position: last.position + last.velocity * dt + force * (0.5 * dt * dt)))
    while sample.timestamp.seconds(since: nodes[first].time) > Self.span { first += 1 }
    if first > 4096 {
      nodes.removeFirst(first)
      first = 0
    }
  }

  private mutating func begin(_ sample: IMUSample) {
    first = 0
    nodes = [
      Node(
        time: sample.timestamp, angularVelocity: sample.angularVelocity, specificForce: sample.specificForce,
        rotation: .identity, velocity: .zero, position: .zero)
    ]
  }

  /// The oldest and the newest sample's times; nil when empty.
  var oldest: Timestamp? { nodes.isEmpty ? nil : nodes[first].time }
  var newest: Timestamp? { nodes.last?.time }

  /// Whether an axis of the gyroscope stands at its limit: a largest reading that comes again, to the digit, for one sample in a hundred. O(n).
  var isGyroscopeSaturated: Bool {
    let kept = nodes[first...]
    let largest = kept.reduce(0) {
      max($0, abs($1.angularVelocity.x), abs($1.angularVelocity.y), abs($1.angularVelocity.z))
    }
    let atLimit = kept.count { node in
      let w = node.angularVelocity
      return max(abs(w.x), abs(w.y), abs(w.z)) == largest
    }
    return largest > 0 && atLimit >= max(5, kept.count / 100)
  }

  /// The integrals at a time within the history, interpolated; nil outside. O(log n).
  func node(at time: Timestamp) -> Node? {
    guard let oldest, let newest, time >= oldest, time <= newest else { return nil }
    let low = nodes[first...].partitioningIndex { $0.time >= time }
    let b = nodes[low]
    guard low > first, b.time > time else { return b }
    let a = nodes[low - 1]
    let dt = time.seconds(since: a.time), whole = b.time.seconds(since: a.time), part = dt / whole
    let rate = a.angularVelocity + (b.angularVelocity - a.angularVelocity) * (part / 2)
    let rotation = a.rotation * .exp(rate * dt)
    let force = a.specificForce + (b.specificForce - a.specificForce) * part
    let mean = (a.rotation * a.specificForce + rotation * force) * 0.5
    return Node(
      time: time, angularVelocity: a.angularVelocity + (b.angularVelocity - a.angularVelocity) * part,
      specificForce: force, rotation: rotation, velocity: a.velocity + mean * dt,
      position: a.position + a.velocity * dt + mean * (0.5 * dt * dt))
  }

  /// Rotation vector from one time to a later one, in the axes at the earlier; nil outside the history.
  package func rotation(from start: Timestamp, to end: Timestamp) -> Vector3? {
    guard let a = node(at: start), let b = node(at: end) else { return nil }
    return (a.rotation.inverse * b.rotation).log
  }

  /// The same samples with every angular rate times a factor, integrated again. O(samples).
  func scaled(by factor: Double) -> InertialHistory {
    var other = InertialHistory()
    for node in nodes[first...] {
      other.append(
        IMUSample(
          timestamp: node.time, angularVelocity: node.angularVelocity * factor, specificForce: node.specificForce))
    }
    return other
  }

  /// Samples in a half-open interval of time, oldest first.
  func samples(after start: Timestamp, through end: Timestamp) -> ArraySlice<Node> {
    let low = nodes[first...].partitioningIndex { $0.time > start }
    let high = nodes[low...].partitioningIndex { $0.time > end }
    return nodes[low..<high]
  }
}

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
    var low = 0
    return place(of: lever, at: time, &low)
  }

  /// The same of times about in order: `low` is where the search begins, and becomes where it ended.
  func place(of lever: Vector3, at time: Timestamp, _ low: inout Int) -> Vector3? {
    guard let first, let last, time >= first, time <= last else { return nil }
    if low == 0 || poses[low - 1].time >= time { low = poses.partitioningIndex { $0.time >= time } }
    while poses[low].time < time { low += 1 }
    guard low > 0 else { return poses[0].worldFromBody * lever }
    let (a, b) = (poses[low - 1], poses[low])
    let seconds = b.time.seconds(since: a.time)
    guard seconds < Self.gap else { return nil }
    let (from, to) = (a.worldFromBody * lever, b.worldFromBody * lever)
    return from + (to - from) * (time.seconds(since: a.time) / seconds)
  }
}
