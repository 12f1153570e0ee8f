import Foundation
import Geometry
import PrecisionFinding
import SensorData
import Simulation
import Testing

/// The tag of the scenario `moving` walks off at 17 s and stands again at 23 s. On the true path.
@Suite struct MovingPeerTests {
  private static func run(seed: UInt64, tellsItself: Bool) throws -> (updates: [NearbyUpdate], simulator: Simulator) {
    let simulator = try Simulator(scenario: Scenario.named("moving").followedByOdometry, seed: seed)
    var events = simulator.events()
    if tellsItself {
      for (second, name) in [(17.0, "moving"), (23.0, "stationary")] {
        let time = Simulator.start.advanced(bySeconds: second)
        let place = events.firstIndex { $0.arrival > time } ?? events.count
        events.insert(
          TimedEvent(.device(DeviceEvent(timestamp: time, name: name, peer: "tag")), arrival: time), at: place)
      }
    }
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: true)
    return ((events.flatMap { finder.process($0) } + finder.finish()).updates(), simulator)
  }

  private static func seconds(_ update: NearbyUpdate) -> Double { update.timestamp.seconds(since: Simulator.start) }

  /// Whether a converged update's angle is over 20 degrees off.
  private static func isFalse(_ update: NearbyUpdate, _ simulator: Simulator) -> Bool {
    guard update.convergence.status == .converged, let angle = update.object.horizontalAngle else { return false }
    let time = seconds(update)
    let device = simulator.motion.kinematics(at: time).worldFromBody
    let peer = simulator.scenario.peers[0].position(at: time)
    let truth = HorizontalAngle.of(peer - device.translation, worldFromDevice: device.rotation)
    return abs(Angle.wrapped(angle.value - truth)) > .pi / 9
  }

  /// A peer that says that it moves is at no moment believed to be where it was.
  @Test(arguments: [1, 5, 9] as [UInt64]) func aPeerThatTellsItMovesIsBelieved(seed: UInt64) throws {
    let (updates, simulator) = try Self.run(seed: seed, tellsItself: true)
    #expect(!updates.contains { Self.isFalse($0, simulator) })
    let walking = updates.filter { (19.5...23).contains(Self.seconds($0)) }
    #expect(
      walking.count > 30 && walking.allSatisfy { $0.object.distance != nil && $0.convergence.status != .converged })
  }

  /// One that does not is found out: by the end of its walk nothing false is said, though the device stood still meanwhile.
  @Test(arguments: [1, 5, 9] as [UInt64]) func oneThatDoesNotIsFoundOut(seed: UInt64) throws {
    let (updates, simulator) = try Self.run(seed: seed, tellsItself: false)
    #expect(!updates.contains { Self.seconds($0) > 21.5 && Self.isFalse($0, simulator) })
  }
}
