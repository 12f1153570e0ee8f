import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import Testing

/// One search of each kind that `PromiseTests` promises, with the estimated trajectory.
@Suite struct SearchSmokeTests {
  /// Nothing to see from where the device is: no angle, ever, and the request to move.
  @Test func aStationaryDeviceAsksForMovement() throws {
    let updates = try SimulatedSearch.run("still", seed: 1, seconds: 6).updates
    #expect(updates.count > 30)
    #expect(updates.allSatisfy { $0.update.object.horizontalAngle == nil && $0.update.object.distance != nil })
    #expect(updates.allSatisfy { $0.update.convergence.status != .converged })
    let late = updates.filter { $0.t > 2 }
    #expect(late.count { $0.update.convergence.reasons.first == .insufficientMovement } * 20 >= late.count * 19)
  }

  @Test func aStraightWalkAsksForASweep() throws {
    let (updates, simulator) = try SimulatedSearch.run("straight", seed: 1)
    #expect(updates.allSatisfy { $0.update.convergence.status != .converged })
    for (t, update) in updates {
      if let error = SimulatedSearch.angleError(update, simulator) { #expect(abs(error) < .pi / 9, "\(t) s") }
    }
    #expect(updates.last?.update.convergence.reasons.first == .insufficientHorizontalSweep)
  }

  /// A level arc gives the angle, and leaves above and below alike.
  @Test(arguments: ["arc", "arc-above"]) func anArcGivesTheAngle(name: String) throws {
    let (updates, simulator) = try SimulatedSearch.run(name, seed: 1)
    let last = try #require(updates.last { $0.update.object.horizontalAngle != nil }?.update)
    #expect(abs(try #require(SimulatedSearch.angleError(last, simulator))) < Angle.degrees(15))
    #expect(last.convergence.reasons == [.insufficientVerticalSweep])
    #expect(updates.allSatisfy { ![.above, .below].contains($0.update.object.verticalDirectionEstimate) })
  }

  /// The light fails from 8 s to 14 s.
  @Test func darknessAsksForLight() throws {
    let updates = try SimulatedSearch.run("dark", seed: 1).updates
    let dark = updates.filter { $0.t > 8.7 && $0.t < 13.9 }
    #expect(dark.count > 60 && dark.allSatisfy { $0.update.convergence.reasons.first == .insufficientLighting })
    #expect(dark.allSatisfy { $0.update.object.horizontalAngle == nil && $0.update.object.distance != nil })
    #expect(updates.contains { $0.t > 15 && $0.t < 16 && $0.update.object.horizontalAngle != nil })
  }

  /// This one converges after 12.6 s: at the true direction and place, within the limits of publication. Its position
  /// errs by 0.3 m at the end.
  @Test func aSearchConverges() throws {
    let (updates, simulator) = try SimulatedSearch.run("search", seed: 3, seconds: 18)
    let found = updates.map(\.update).filter { $0.convergence.status == .converged }
    #expect(found.count > 50)
    let peer = try #require(simulator.peers.first).position
    let start = try #require(simulator.truth().first).worldFromBody
    for update in found.enumerated().filter({ $0.offset % 20 == 0 }).map(\.element) {
      #expect(abs(try #require(SimulatedSearch.angleError(update, simulator))) < .pi / 9)
      let angle = try #require(update.object.horizontalAngle)
      #expect(angle.high - angle.low <= 2 * Angle.degrees(FinderConfiguration().angleHalfWidthDegrees))
      // The estimate's world begins where the search does, with a heading of its own: compare the distance from there.
      let position = try #require(update.object.worldPosition).position
      #expect(abs(position.norm - (peer - start.translation).norm) < 1)
    }
  }
}
