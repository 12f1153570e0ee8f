import Foundation
import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// Ranges that no one distance explains: the distance is as wide as they are apart.
@Suite struct ContradictingRangesTests {
  private static let peer = Vector3(5, 2, 0.3)

  /// The updates of 12 s, ten ranges a second through `wild`, in metres and seconds.
  private static func updates(_ wild: (Double, Double, inout SeededRandom) -> Double) -> [NearbyUpdate] {
    let finder = PrecisionFinder(rig: OdometryWorld.rig, useOdometry: true)
    var random = SeededRandom(seed: 5)
    var outputs: [FinderOutput] = []
    for k in 0..<600 {
      let t = 0.02 * Double(k)
      let pose = Pose(rotation: .identity, translation: Vector3(0.5 * sin(1.3 * t), 0.3 * t, 0.2 * sin(0.7 * t)))
      outputs += finder.process(
        TimedEvent(.odometry(OdometryPose(timestamp: OdometryWorld.time(t), worldFromSensor: pose))))
      guard k % 5 == 2 else { continue }
      let range = wild((peer - pose.translation).norm + 0.05 * random.gaussian(), t, &random)
      outputs += finder.process(OdometryWorld.range(t, "a", range))
    }
    return (outputs + finder.finish()).updates()
  }

  private static func isSaid(_ update: NearbyUpdate) -> Bool {
    guard case .obstacles(let found)? = update.details["findings"] else { return false }
    return found.contains { $0.code == PublicationObstacle.rangesContradict.rawValue }
  }

  @Test func rangesThatAgreeDoNot() {
    #expect(!Self.updates { range, _, _ in range }.contains(where: Self.isSaid))
    // Multipath of decimetres and short spells of NLOS are no contradiction.
    #expect(
      !Self.updates { range, t, _ in range + (t.truncatingRemainder(dividingBy: 2) < 0.5 ? 0.8 : 0) }
        .contains(where: Self.isSaid))
  }

  @Test func wildRangesWidenTheDistance() {
    let updates = Self.updates { range, _, random in random.uniform() < 0.7 ? 150 * random.uniform() : range }
    let later = updates.filter { $0.timestamp.seconds(since: OdometryWorld.time(0)) > 3 }
    let said = later.filter(Self.isSaid)
    #expect(said.count > later.count * 9 / 10, "\(said.count) of \(later.count)")
    #expect(
      said.allSatisfy { $0.object.quality == .imprecise && ($0.object.distanceStandardDeviation ?? .infinity) > 1 })
  }

  /// A level that is 20 m off is doubtful for as long as the other is fresh, whichever is right.
  @Test func aJumpWidensTheDistanceUntilItHasStood() throws {
    let updates = Self.updates { range, t, _ in range + (t > 6 ? 20 : 0) }
    func after(_ seconds: ClosedRange<Double>) -> [NearbyUpdate] {
      updates.filter { seconds.contains($0.timestamp.seconds(since: OdometryWorld.time(6))) }
    }
    #expect(after(0.6...1.5).allSatisfy(Self.isSaid))
    #expect(!after(3.2...5).contains(where: Self.isSaid))
  }
}
