import Estimator
import Geometry
import Simulation
import Testing

/// A hand that sways slowly below the noise of its IMU and camera must not pass for a stationary device: its rotation
/// would be taken for the gyroscope's bias, with certainty.
@Suite struct SwayingStartTests {
  static var scenario: Scenario {
    var scenario = Scenario(name: "swaying", summary: "-", peers: [], motion: [.motion(.hold(duration: 1.5))])
    scenario.hand.swayDeviation = 0.001
    scenario.hand.swayAngleDeviation = Angle.degrees(0.25)
    scenario.hand.tremorDeviation = 0
    scenario.hand.tremorAngleDeviation = 0
    (scenario.imu.gyroscopeNoiseDensity, scenario.imu.accelerometerNoiseDensity) = (6e-4, 6e-3)
    (scenario.imu.gyroscopeBias, scenario.imu.accelerometerBias) = (0.01, 0.1)
    scenario.imu.rate = 400
    scenario.camera?.rate = 60
    scenario.camera?.tracks = 40
    scenario.camera?.pixelNoise = 1.5
    return scenario
  }

  @Test func slowRotationIsNotABias() throws {
    var sum = 0.0, largest = 0.0
    let seeds: ClosedRange<UInt64> = 1...30
    for seed in seeds {
      let run = try SimulatedRun(Self.scenario, seed: seed, fromTruth: false)
      let navigation = try #require(run.navigation)
      let truth = try Simulator(scenario: Self.scenario, seed: seed).truth()
      let error = navigation.state.gyroscopeBias - (try #require(truth[truth.count - 1].gyroscopeBias))
      let all = navigation.covariance.marginal([navigation.poseBlock])
      var covariance = Matrix3.zero
      for i in 0..<3 { for j in 0..<3 { covariance[i, j] = all[15 * (9 + i) + 9 + j] } }
      let square = try #require(covariance.inverse).form(error, error)
      sum += square / 3 / Double(seeds.count)
      largest = max(largest, square / 3)
    }
    print(
      "gyroscope's bias after a second and a half in a swaying hand: NEES / 3 in the mean \(sum), at most \(largest)")
    #expect(sum < 2 && largest < 8)
  }
}
