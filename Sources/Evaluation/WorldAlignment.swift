import Geometry
import SensorData

/// The yaw and translation from each world of an estimate to the truth's.
///
/// A trajectory that began anew has several worlds, one after the other: positions in one say nothing about those in
/// another.
package struct WorldAlignment: Equatable, Sendable {
  /// When the second world and all after it began, in time order.
  let beginnings: [Timestamp]
  /// One for each world; nil where a world has no pose with truth.
  let truthFromEstimate: [Pose?]

  /// The number of a world, from 0.
  static func number(at time: Timestamp, _ beginnings: [Timestamp]) -> Int { beginnings.count { $0 <= time } }

  /// The alignment of the world of a time; nil where there is none. O(worlds).
  package func truthFromEstimate(at time: Timestamp) -> Pose? {
    truthFromEstimate[Self.number(at: time, beginnings)]
  }
}
