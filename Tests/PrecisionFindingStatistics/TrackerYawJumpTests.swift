import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// A tracker that relocalises with another heading: the known directions of peers are no longer valid.
@Suite struct TrackerYawJumpTests {
  /// Of 12 searches in which the tracker's world rotates by `jump`, radians, about the device after five seconds: the
  /// fraction of later angles over 20 degrees off, the fraction of their intervals that hold the truth, and their
  /// number.
  private static func outcome(_ name: String, jump: Double) throws -> (wrong: Double, held: Double, count: Int) {
    var (wrong, held, all) = (0, 0, 0)
    for seed in 1...12 as ClosedRange<UInt64> {
      var scenario = try Scenario.named(name)
      scenario.odometry = Scenario.Odometry()
      let simulator = try Simulator(scenario: scenario.withExternalOdometry, seed: seed)
      let moment = Simulator.start.advanced(bySeconds: 5)
      var turned: Pose?
      let events = simulator.events().map { timed in
        guard case .odometry(var pose) = timed.event, pose.timestamp > moment else { return timed }
        let here = pose.worldFromSensor.translation
        let about = Pose(rotation: .yaw(jump), translation: here - Rotation.yaw(jump) * here)
        turned = turned ?? about
        pose.worldFromSensor = turned! * pose.worldFromSensor
        return TimedEvent(.odometry(pose), arrival: timed.arrival)
      }
      let finder = PrecisionFinder(rig: simulator.rig, useOdometry: true)
      let updates = (events.flatMap { finder.process($0) } + finder.finish()).updates()
      for update in updates where update.timestamp > moment.advanced(bySeconds: 0.2) {
        guard let angle = update.object.horizontalAngle, let error = SimulatedSearch.angleError(update, simulator)
        else {
          continue
        }
        all += 1
        if abs(error) > .pi / 9 { wrong += 1 }
        if (angle.low - angle.value...angle.high - angle.value).contains(-error) { held += 1 }
      }
    }
    print("\(name), turned by \(jump): \(wrong) of \(all) arrows wrong, \(held) intervals hold the truth")
    return (Double(wrong) / Double(all), Double(held) / Double(all), all)
  }

  /// The angle is relative to the device, which has not rotated.
  @Test(arguments: ["mc-arc", "mc-walk-l"], [0.3, 0.5, 1.5]) func aYawJumpIsNoGeometry(
    name: String, jump: Double
  ) throws {
    let (wrong, held, count) = try Self.outcome(name, jump: jump)
    // The angles of a search err together. Not half of one search of twelve may be wrong; the intervals, which hold the
    // truth nine times of ten, may miss it for one search more; and twelve searches with angles for two and a half
    // seconds each are what there must be to judge.
    #expect(wrong < 0.05 && held > 0.8 && count > 300)
  }
}
