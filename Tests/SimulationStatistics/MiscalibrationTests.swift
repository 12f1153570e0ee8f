import Geometry
import Simulation
import Testing

/// The calibration error in a recording is that of its scenario.
@Suite struct MiscalibrationTests {
  @Test func theStatedCameraDiffersFromTheTrueOne() throws {
    let scenario = try Scenario.named("miscalibrated")
    var right = scenario
    right.camera!.miscalibration = Scenario.Miscalibration()
    var directions: [Vector3] = []
    for seed in UInt64(1)...8 {
      let simulator = try Simulator(scenario: scenario, seed: seed)
      let truth = simulator.rig.cameras[0], stated = simulator.statedRig.cameras[0]
      #expect(abs(abs(stated.fx / truth.fx - 1) - 0.01) < 1e-12 && abs(abs(stated.fy / truth.fy - 1) - 0.01) < 1e-12)
      let centre = SIMD2(stated.cx - truth.cx, stated.cy - truth.cy)
      #expect(abs((centre * centre).sum().squareRoot() - 5) < 1e-9)
      let rotation = (truth.bodyFromCamera.rotation.inverse * stated.bodyFromCamera.rotation).log
      #expect(abs(rotation.norm - Angle.degrees(0.5)) < 1e-9)
      directions.append(rotation)
      #expect(abs((stated.bodyFromCamera.translation - truth.bodyFromCamera.translation).norm - 0.01) < 1e-12)
      #expect(abs(abs(stated.timeOffset - truth.timeOffset) - 0.02) < 1e-12)
      #expect(stated.distortion == truth.distortion && stated.pixelNoise == truth.pixelNoise)
      #expect(simulator.recording().rig == simulator.statedRig)
    }
    #expect((directions[0] - directions[1]).norm > 1e-3, "every seed draws another direction")
    // The measurements do not depend on the stated calibration.
    #expect(
      try Simulator(scenario: scenario, seed: 3).events().map(\.event)
        == Simulator(scenario: right, seed: 3).events().map(\.event))
    #expect(try Simulator(scenario: right, seed: 3).statedRig == Simulator(scenario: right, seed: 3).rig)
  }

  @Test func twoCamerasKeepOneClock() throws {
    var scenario = try Scenario.named("stereo")
    scenario.camera!.miscalibration.timeOffset = 0.01
    scenario.camera!.miscalibration.focalLength = 0.01
    let rig = try Simulator(scenario: scenario, seed: 5).statedRig
    #expect(rig.cameras.count == 2 && rig.cameras[0].timeOffset == rig.cameras[1].timeOffset)
  }
}
