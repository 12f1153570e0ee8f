import PrecisionFinding
import Simulation
import Testing

/// Rolling shutters that are not stated, and what is taken for one.
@Suite struct UnstatedRowsTests {
  static func codes(_ scenario: Scenario, seed: UInt64) throws -> [String] {
    let simulator = try Simulator(scenario: scenario, seed: seed)
    let finder = PrecisionFinder(rig: simulator.statedRig, useOdometry: false)
    for event in simulator.events() { _ = finder.process(event) }
    _ = finder.finish()
    return finder.diagnoses.map(\.code)
  }

  @Test func aRollingShutterIsNamed() throws {
    var scenario = try Scenario.named("arc")
    scenario.camera!.shutter.rowSkew = 0.03
    scenario.camera!.shutter.isStated = false
    #expect(try Self.codes(scenario, seed: 5).contains("rollingShutter"))
  }

  /// A camera that looks down and is carried over a floor with little turning: the parallax of nearer rows is as that of later rows.
  @Test func aFloorIsNoRollingShutter() throws {
    let scenario = try Scenario(
      yaml: """
        name: floor
        description: a global shutter over a floor
        imu: {rate_hz: 200, gyroscope_noise_density: 7.07e-05, accelerometer_noise_density: 0.000707,
          gyroscope_random_walk: 7.07e-06, accelerometer_random_walk: 8.31e-05, gyroscope_bias_rad_s: 0.0137,
          accelerometer_bias_m_s2: 0.0923}
        camera: {rate_hz: 10, tracks: 25, pixel_noise_std_px: 0.56, track_life_s: 3.07, outlier_share: 0.05}
        uwb: {rate_hz: 10, range_noise_std_m: 0.05}
        hand: {pitch_deg: -52, sway_std_m: 0.0044, sway_std_deg: 0.36, holding: portrait}
        room: {ahead_m: 8, left_m: 8, right_m: 8, behind_m: 8, ceiling_m: 2.7, floor_m: 1.4}
        peers:
          - {id: tag0, distance_m: [7.69, 9.23], elevation_std_deg: 15}
        motion:
          - hold: {duration_s: 2.42}
          - sway: {duration_s: 6.51, lateral_m: 0.13, lateral_period_s: 3.51, ahead_m: 0.01}
          - walk: {distance_m: 2.07, speed_m_s: 0.46, bob_m: 0.031, right_deg: -35}
          - walk: {distance_m: 5.08, speed_m_s: 0.99, bob_m: 0.029, right_deg: 0}
          - arc: {duration_s: 6.56, arm_m: 0.47, horizontal_deg: 16, horizontal_period_s: 3.19}

        """, file: "floor.yaml")
    for seed in [52110, 52115, 52120] as [UInt64] { #expect(try Self.codes(scenario, seed: seed) == []) }
  }
}
