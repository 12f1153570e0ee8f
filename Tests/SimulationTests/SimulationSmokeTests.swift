import Foundation
import Geometry
import Simulation
import SimulationTestSupport
import Testing

/// One draw of each law of SimulationStatistics.
@Suite struct SimulationSmokeTests {
  /// Without errors ranges are distances, and the inertial unit measures the motion.
  @Test func perfectSensorsMeasureTheTruth() throws {
    var scenario = try Scenario.named("mc-arc").withoutErrors
    scenario.imu.bodyFromIMU = Pose(rotation: .exp(Vector3(0.3, -2, 1)), translation: Vector3(0.13, -0.02, 0.05))
    let simulator = try Simulator(scenario: scenario, seed: 7)
    let radio = try #require(simulator.rig.radio)
    var (ranges, samples) = (0, 0)
    for event in simulator.events().map(\.event) {
      let seconds = event.timestamp.seconds(since: Simulator.start)
      let now = simulator.motion.kinematics(at: seconds)
      switch event {
      case .range(let range):
        let antenna = now.worldFromBody * (try #require(radio.position(of: range.antenna)))
        #expect(abs(range.range - (simulator.scenario.peers[0].position(at: seconds) - antenna).norm) < 1e-8)
        ranges += 1
      case .imu(let sample):
        let unit = now.moved(to: scenario.imu.bodyFromIMU)
        let force = unit.worldFromBody.rotation.inverse * (unit.acceleration + Vector3(0, 0, 9.81))
        // Stamps are rounded to nanoseconds.
        #expect((sample.angularVelocity - unit.angularVelocity).norm < 1e-6)
        #expect((sample.specificForce - force).norm < 1e-5)
        samples += 1
      default: break
      }
    }
    #expect(ranges > 50 && samples > 500)
  }

  /// An array's offset is the same for all its angles.
  @Test func anArrayOffsetIsConstant() throws {
    var scenario = try Scenario.named("aoa").withoutErrors
    scenario.radio.angles?.noise = 1e-9
    let right = try Simulator(scenario: scenario, seed: 1).ranges
    scenario.radio.angles?.offset = Angle.degrees(3)
    let offsets = try zip(right, Simulator(scenario: scenario, seed: 1).ranges).compactMap { right, off in
      right.azimuth.flatMap { a in off.azimuth.map { $0 - a } }
    }
    let first = try #require(offsets.first)
    #expect(offsets.count > 20 && offsets.allSatisfy { abs($0 - first) < 1e-9 } && abs(first) > 1e-6)
  }

  /// The stated calibration is off by what the scenario says, and the true one is not.
  @Test func theStatedCameraDiffersFromTheTrueOne() throws {
    let simulator = try Simulator(scenario: .named("miscalibrated"), seed: 1)
    let truth = simulator.rig.cameras[0], stated = simulator.statedRig.cameras[0]
    #expect(abs(abs(stated.fx / truth.fx - 1) - 0.01) < 1e-12)
    #expect(abs((stated.bodyFromCamera.translation - truth.bodyFromCamera.translation).norm - 0.01) < 1e-12)
    #expect(simulator.recording().rig == simulator.statedRig)
  }

  /// A built-in scenario has its rates: samples, frames and ranges.
  @Test(arguments: ["arc", "mc-walk-l"]) func aBuiltInScenarioHasItsRates(name: String) throws {
    let scenario = try Scenario.named(name)
    let simulator = try Simulator(scenario: scenario, seed: 1), duration = simulator.motion.duration
    var (samples, frames, ranges) = (0.0, 0.0, 0.0)
    for event in simulator.events() {
      switch event.event {
      case .imu: samples += 1
      case .frame: frames += 1
      case .range: ranges += 1
      default: break
      }
    }
    #expect(abs(samples - duration * scenario.imu.rate) <= 2)
    #expect(abs(frames - duration * (try #require(scenario.camera).rate)) <= 1)
    #expect(ranges > 0.85 * duration * scenario.radio.rate)
  }
}
