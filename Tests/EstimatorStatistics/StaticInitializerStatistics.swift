import EstimatorTestSupport
import Foundation
import Geometry
import Simulation
import Testing

/// The first tilt of a device in a hand.
@Suite struct StaticInitializerStatistics {
  /// In a hand that sways by millimetres the tilt is consistent from the first frame, and its covariance not far too
  /// large: an uncertainty of several degrees allows a wrong explanation of the first steps of a walk.
  @Test func tiltOfANearlyStillHandIsConsistent() throws {
    var scenario = Scenario(
      name: "hold", summary: "-", peers: [], motion: [.motion(.hold(duration: 2))])
    // Of the prior's size: a smaller one makes the tilt better than it says.
    scenario.imu.accelerometerBias = 0.5 * 3.0.squareRoot()
    var sum = 0.0
    let seeds: ClosedRange<UInt64> = 1...20
    for seed in seeds {
      let run = try SimulatedRun(scenario, seed: seed, fromTruth: false)
      let first = try #require(run.rows.lazy.compactMap(\.error).first)
      let up = first.estimate.rotation * (first.truth.rotation.inverse * Vector3(0, 0, 1))
      let theta = Rotation.carrying(Vector3(0, 0, 1), into: up).inverse.log
      let (a, b, c) = (first.covariance[0], first.covariance[1], first.covariance[7])
      sum += (c * theta.x * theta.x - 2 * b * theta.x * theta.y + a * theta.y * theta.y) / (a * c - b * b)
    }
    let mean = sum / Double(2 * seeds.count)
    print("tilt of a nearly still hand: NEES \(mean) for each of its two")
    // Forty squares: above 1.84 once in a thousand. Below 0.15 the sigma is 2.6 times the error.
    #expect(mean > 0.15 && mean < 1.84)
  }
}
