import Foundation
import Geometry
import SensorData
import Simulation
import SimulationTestSupport
import Testing

/// Ranges along a known trajectory.
@Suite struct RedrawnRangesTests {
  private static let start = Timestamp(nanoseconds: 1_600_000_000_123_456_789)
  private static let duration = 12.0
  /// A general mount of the body in the device.
  private static let bodyFromDevice = Pose(
    rotation: .exp(Vector3(0.3, -1.2, 0.7)), translation: Vector3(0.02, 0, -0.05))

  /// A circle of radius 1 m with a rotating body.
  private static func worldFromBody(_ time: Double) -> Pose {
    Pose(
      rotation: .exp(Vector3(0.1, 0.2, 0.4 * time)),
      translation: Vector3(10 + cos(0.5 * time), -4 + sin(0.5 * time), 1.2))
  }

  private static func redrawn(_ scenario: Scenario, seed: UInt64) -> RedrawnRanges {
    RedrawnRanges(
      scenario, seed: seed, bodyFromDevice: bodyFromDevice, start: start, duration: duration,
      worldFromBody: worldFromBody)
  }

  private static func ranges(_ redrawn: RedrawnRanges) -> [RangeMeasurement] {
    redrawn.events.compactMap { if case .range(let range) = $0.event { range } else { nil } }
  }

  /// Without errors a range is the distance between antenna and peer at its time; angles are those that formats.md
  /// defines.
  @Test func withoutErrorsRangesAndAnglesAreTrue() throws {
    var scenario = try Scenario.named("mc-arc").withoutErrors
    scenario.radio.angles = .init(noise: 0)
    scenario.radio.angles?.reach = .pi
    scenario.radio.antennas = ["left": Vector3(0, 0.1, 0), "right": Vector3(0, -0.1, 0)]
    let redrawn = Self.redrawn(scenario, seed: 3)
    let peer = try #require(redrawn.peers.first)
    let ranges = Self.ranges(redrawn)
    #expect(ranges.count >= 115 && redrawn.peers.count == 1)
    for range in ranges {
      let pose = Self.worldFromBody(range.timestamp.seconds(since: Self.start))
      let antenna = try #require(scenario.radio.antennas[range.antenna ?? ""])
      let displacement = peer.position - pose * antenna
      #expect(abs(range.range - displacement.norm) < 1e-3)
      let u = (Self.bodyFromDevice.rotation.inverse * (pose.rotation.inverse * displacement)).normalized
      guard let azimuth = range.azimuth, let elevation = range.elevation else { continue }
      #expect(abs(elevation - asin(u.y)) < 1e-3)
      #expect(abs(Angle.wrapped(azimuth - atan2(u.x, -u.z))) < 1e-3 / max(0.05, (1 - u.y * u.y).squareRoot()))
    }
    #expect(ranges.contains { $0.azimuth != nil })
  }

  /// The same seed draws the same numbers. Another seed draws other errors and another position, at the scenario's
  /// distance from the middle of the trajectory.
  @Test func everySeedIsAnIndependentDraw() throws {
    let scenario = try Scenario.named("mc-arc")
    let middle = Self.worldFromBody(Self.duration / 2).translation
    var positions: [Vector3] = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let (a, b) = (Self.redrawn(scenario, seed: seed), Self.redrawn(scenario, seed: seed))
      #expect(a.events == b.events && a.peers == b.peers)
      let position = try #require(a.peers.first).position
      #expect((2.99...7.01).contains((position - middle).norm))
      #expect(!positions.contains(position))
      positions.append(position)
    }
  }

  /// A peer that moves in the scenario moves here: rows of its truth to the end of the trajectory.
  @Test func movingPeersHaveTruthToTheEnd() throws {
    var scenario = try Scenario.named("mc-moving")
    scenario.peers[0].stroll = nil
    scenario.peers[0].path = [.init(time: 2...5, displacement: Vector3(2, 1, 0))]
    let redrawn = Self.redrawn(scenario, seed: 1)
    #expect(redrawn.peers.count == 121)
    let (first, last) = (try #require(redrawn.peers.first), try #require(redrawn.peers.last))
    #expect(((last.position - first.position) - Vector3(2, 1, 0)).norm < 1e-9)
    #expect(last.timestamp.seconds(since: Self.start) == Self.duration)
  }
}
