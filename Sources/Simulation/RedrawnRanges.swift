import Foundation
import Geometry
import SensorData

/// Simulated ranges along the true trajectory of a recording, which replace its own: a scenario's radio and peers, one
/// independent draw per seed.
///
/// A recording contains one radio and a few peers: one draw of the environment, whatever its number of updates. Its
/// trajectory, IMU samples and frames can be combined with other draws. Only the scenario's radio, peers and body are
/// used; peers are positioned relative to the middle of the trajectory.
package struct RedrawnRanges: Sendable {
  /// The ranges, in order of arrival.
  package let events: [TimedEvent]
  /// True positions of the peers: one row each, and rows at 10 Hz to the end for moving ones.
  package let peers: [GroundTruthPeer]
  /// Timestamps, by peer, of the ranges that are NLOS or outliers.
  package let impaired: [String: Set<Timestamp>]
  /// The radio's calibration as a recording states it.
  package let radio: RadioCalibration

  /// Draws the ranges. Same arguments, same numbers.
  ///
  /// - Parameters:
  ///   - bodyFromDevice: the device's axes in the body.
  ///   - start: start of the trajectory.
  ///   - duration: its duration, seconds; positive.
  ///   - worldFromBody: the true pose at a time in seconds from `start`; called up to 0.2 s outside as well.
  package init(
    _ scenario: Scenario, seed: UInt64, bodyFromDevice: Pose, start: Timestamp, duration: Double,
    worldFromBody: (Double) -> Pose
  ) {
    let motion = PoseSpline(duration: duration, spacing: Simulator.spacing, following: worldFromBody)
    let middle = motion.kinematics(at: duration / 2).worldFromBody.translation
    let drawn = scenario.drawn(seed: seed)
    let placed = drawn.peers.map { peer in
      var peer = peer
      peer.position += middle
      return peer
    }
    let scene = RangeSimulator.Scene(
      motion: motion, bodyFromDevice: bodyFromDevice.rotation, lineOfSight: LineOfSight(walls: [], body: drawn.body)
    ) { HandPose(worldFromDevice: motion.kinematics(at: $0).worldFromBody * bodyFromDevice) }
    let draws = placed.enumerated().map { number, peer in
      RangeSimulator.ranges(
        drawn.radio, to: peer, number: number, of: placed.count, in: scene, start: start, seed: seed)
    }
    events = TimedEvent.ordered(draws.flatMap { $0.map(\.event) })
    peers = GroundTruthPeer.rows(of: placed, from: start, lasting: duration)
    impaired = Dictionary(
      zip(placed.map(\.reportedID), draws.map { Set($0.filter(\.isImpaired).map(\.event.event.timestamp)) }),
      uniquingKeysWith: { $0.union($1) })
    radio = drawn.radioCalibration
  }
}
