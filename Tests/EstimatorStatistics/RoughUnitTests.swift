import EstimatorTestSupport
import Simulation
import Testing

/// A phone's IMU with axis errors of one per cent: the state contains them, and the errors stay consistent with the
/// covariance.
@Suite struct RoughUnitTests {
  @Test func axisErrorsAreEstimated() throws {
    let scenario = try Scenario.named("rough-imu")
    #expect(scenario.imu.gyroscopeTriad.scale == 0.01 && scenario.imu.accelerometerTriad.scale == 0.01)
    let runs = try (1...8).map { try SimulatedRun(scenario, seed: UInt64($0)).errors() }
    let position = runs.reduce(0) { $0 + $1.nees.position } / 8, attitude = runs.reduce(0) { $0 + $1.nees.attitude } / 8
    print(
      "rough-imu: NEES over 8 seeds: position \(position), attitude \(attitude), yaw-aligned", runs.map(\.yawAligned))
    // Eight runs of three components each, one drift per run: a mean of chi-squares over 24 has its 99.9 % below 6.4 /
    // 3 x 3.
    #expect((0.5...6.4).contains(position) && (0.5...6.4).contains(attitude))
    #expect(runs.allSatisfy { $0.yawAligned < 0.15 })
  }
}
