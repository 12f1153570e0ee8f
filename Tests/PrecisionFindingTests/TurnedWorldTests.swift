import Foundation
import Geometry
import PrecisionFinding
import SensorData
import Simulation
import Testing

/// A tracker that relocalises with another heading: what was known of peers is no longer where it was.
@Suite struct TurnedWorldTests {
  /// Of 12 searches in which the tracker's world turns by `turn`, radians, about the device after five seconds: the shares of the arrows since that are over 20
  /// degrees off and of their intervals that hold the truth, and their number.
  private static func outcome(_ name: String, turn: Double) throws -> (wrong: Double, held: Double, count: Int) {
    var (wrong, held, all) = (0, 0, 0)
    for seed in 1...12 as ClosedRange<UInt64> {
      var scenario = try Scenario.named(name)
      scenario.odometry = Scenario.Odometry()
      let simulator = try Simulator(scenario: scenario.followedByOdometry, seed: seed)
      let moment = Simulator.start.advanced(bySeconds: 5)
      var turned: Pose?
      let events = simulator.events().map { timed in
        guard case .odometry(var pose) = timed.event, pose.timestamp > moment else { return timed }
        let here = pose.worldFromSensor.translation
        let about = Pose(rotation: .yaw(turn), translation: here - Rotation.yaw(turn) * here)
        turned = turned ?? about
        pose.worldFromSensor = turned! * pose.worldFromSensor
        return TimedEvent(.odometry(pose), arrival: timed.arrival)
      }
      let finder = PrecisionFinder(rig: simulator.rig, useOdometry: true)
      let updates = (events.flatMap { finder.process($0) } + finder.finish()).updates()
      for update in updates where update.timestamp > moment.advanced(bySeconds: 0.2) {
        guard let angle = update.object.horizontalAngle, let error = PromiseTests.angleError(update, simulator) else {
          continue
        }
        all += 1
        if abs(error) > .pi / 9 { wrong += 1 }
        if (angle.low - angle.value...angle.high - angle.value).contains(-error) { held += 1 }
      }
    }
    print("\(name), turned by \(turn): \(wrong) of \(all) arrows wrong, \(held) intervals hold the truth")
    return (Double(wrong) / Double(all), Double(held) / Double(all), all)
  }

  /// The arrow is measured against the device, which has not turned.
  @Test(arguments: ["mc-arc", "mc-walk-l"], [0.3, 0.5, 1.5]) func aTurnedWorldIsNoGeometry(
    name: String, turn: Double
  ) throws {
    let (wrong, held, count) = try Self.outcome(name, turn: turn)
    #expect(wrong < 0.05 && held > 0.8 && count > 300)
  }
}
