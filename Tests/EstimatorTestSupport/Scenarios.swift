import Geometry
import Simulation

extension Scenario {
  /// A search, a walk, a search: 100 tracks.
  package static func searchWalkSearch(_ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    let arc = HandMotion.arc(
      duration: 6, arm: 0.6, horizontal: .init(amplitude: 0.6), vertical: .init(amplitude: 0.3, period: 3))
    let walk = HandMotion.walk(distance: 4, speed: 0.9, heading: 0, bob: 0.015, stepRate: 1.8)
    var scenario = Scenario(
      name: "walk", summary: "-", peers: [],
      motion: [.hold(duration: 1), arc, walk, arc, .hold(duration: 4)].map { .motion($0) })
    change(&scenario)
    return scenario
  }

  /// A second and a half in a hand that sways slowly below the noise of its IMU and camera.
  package static var swayingHand: Scenario {
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

  /// A walk in progress at the start of the recording, with few short tracks, some of them outliers. The first window
  /// whose velocity sigma is below a fifth often gives a velocity far too high.
  package static func walkWithOutliers() throws -> Scenario {
    var scenario = try Scenario.named("mc-walk")
    scenario.motion.removeAll(where: \.isHold)
    scenario.camera!.tracks = 25
    scenario.camera!.trackLife = 1.5
    scenario.camera!.outlierShare = 0.05
    scenario.camera!.pixelNoise = 1.3
    return scenario
  }

  /// A hand that sways by centimetres in front of a distant wall; a twentieth of its tracks are of moving points.
  package static var quietHandBeforeAWall: Scenario {
    var scenario = Scenario(
      name: "quiet", summary: "-", peers: [],
      motion: [
        .motion(.hold(duration: 1.5)),
        .motion(
          .sway(
            duration: 8, lateral: .init(amplitude: 0.07, period: 4), vertical: .init(), ahead: .init(amplitude: 0.08))),
      ])
    scenario.camera!.rate = 60
    scenario.camera!.tracks = 120
    scenario.camera!.pixelNoise = 1.4
    scenario.camera!.trackLife = 5
    scenario.camera!.outlierShare = 0.05
    return scenario
  }
}
