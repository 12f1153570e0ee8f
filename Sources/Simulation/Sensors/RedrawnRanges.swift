import Foundation
import Geometry
import SensorData

/// Ranges along the true way of a recording, in place of its own: a scenario's radio, to the scenario's peers, in as many draws as there are seeds.
///
/// A recording has one radio and a handful of peers: one draw of what surrounds them, whatever its number of updates. Its way, its inertial samples and its frames are as good
/// with any other. Of the scenario only radio, peers and body count; its peers are placed as seen from the middle of the way.
package struct RedrawnRanges: Sendable {
  /// The ranges, in order of arrival.
  package let events: [TimedEvent]
  /// Where the peers truly are: one row each, and rows at 10 Hz to the end for those that move.
  package let peers: [GroundTruthPeer]
  /// When ranges to each peer were taken that had no free sight or are grossly wrong.
  package let impaired: [String: Set<Timestamp>]
  /// What a recording states of such a radio.
  package let radio: RadioCalibration

  /// Draws. Same arguments, same numbers.
  ///
  /// - Parameters:
  ///   - bodyFromDevice: the device's axes in the body.
  ///   - start: when the way begins.
  ///   - duration: how long it lasts, seconds; positive.
  ///   - worldFromBody: the true pose at a time in seconds from `start`. Asked up to a fifth of a second outside as well.
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
      motion: motion, bodyFromDevice: bodyFromDevice.rotation, sight: LineOfSight(walls: [], body: drawn.body)
    ) { HandPose(worldFromDevice: motion.kinematics(at: $0).worldFromBody * bodyFromDevice) }
    let draws = placed.enumerated().map { number, peer in
      RangeSimulator.ranges(
        drawn.radio, to: peer, number: number, of: placed.count, in: scene, start: start, seed: seed)
    }
    events = TimedEvent.ordered(draws.flatMap { $0.map(\.event) })
    peers = GroundTruthPeer.rows(of: placed, from: start, lasting: duration)
    impaired = Dictionary(
      zip(placed.map(\.id), draws.map { Set($0.filter(\.isImpaired).map(\.event.event.timestamp)) }), uniquingKeysWith: { $0.union($1) })
    radio = RadioCalibration(
      antennas: drawn.radio.antennas, rangeNoise: drawn.radio.statedDeviation, rate: drawn.radio.rate)
  }
}
