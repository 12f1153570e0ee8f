import Geometry
import Simulation
import SimulationTestSupport
import Testing

/// With all errors at zero the sensors measure the truth.
@Suite struct PerfectSensorTests {
  private static let names = ["moving", "stairs", "put-down", "landscape", "stereo", "eight-peers", "mc-walk"]

  @Test(arguments: names) func rangesAreDistances(_ name: String) throws {
    let simulator = try Simulator(scenario: Scenario.named(name).withoutErrors, seed: 7)
    let peers = Dictionary(uniqueKeysWithValues: simulator.scenario.peers.map { ($0.id, $0) })
    var count = 0
    for case .range(let range) in simulator.events().map(\.event) {
      let time = range.timestamp.seconds(since: Simulator.start)
      let antenna =
        simulator.motion.kinematics(at: time).worldFromBody * simulator.rig.radio!.position(of: range.antenna)!
      // Stamps are rounded to a nanosecond, about a nanometre of walking.
      #expect(abs(range.range - (peers[range.peer]!.position(at: time) - antenna).norm) < 1e-8)
      count += 1
    }
    #expect(count > 100)
  }

  @Test(arguments: names) func theIMUMeasuresTheMotion(_ name: String) throws {
    var scenario = try Scenario.named(name).withoutErrors
    scenario.imu.bodyFromIMU = Pose(rotation: .exp(Vector3(0.3, -2, 1)), translation: Vector3(0.13, -0.02, 0.05))
    let simulator = try Simulator(scenario: scenario, seed: 7)
    var count = 0
    for case .imu(let sample) in simulator.events().map(\.event) {
      let time = Double(count) / scenario.imu.rate
      #expect(sample.timestamp == Simulator.start.advanced(bySeconds: time))
      let unit = simulator.motion.kinematics(at: time).moved(to: scenario.imu.bodyFromIMU)
      let force = unit.worldFromBody.rotation.inverse * (unit.acceleration + Vector3(0, 0, 9.81))
      #expect((sample.angularVelocity - unit.angularVelocity).norm < 1e-12)
      #expect((sample.specificForce - force).norm < 1e-12)
      count += 1
    }
    #expect(count > 1000)
  }

  /// Every track is the exact projection of one landmark, in both cameras.
  @Test(arguments: ["landscape", "stereo"]) func pixelsAreLandmarks(_ name: String) throws {
    let simulator = try Simulator(scenario: Scenario.named(name).withoutErrors, seed: 7)
    let landmarks = simulator.landmarks
    let cameras = simulator.rig.cameras
    var landmarkOf: [Int64: Int] = [:]
    var checked = 0
    for case .frame(let frame) in simulator.events().map(\.event) {
      let time = frame.timestamp.seconds(since: Simulator.start)
      let camera = cameras[frame.camera]
      let pose = simulator.motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera
      let lens = Lens(camera)
      // All landmarks are projected once a second; in between only those already matched.
      let isThorough = time.truncatingRemainder(dividingBy: 1) < 0.01
      let pixels = isThorough ? landmarks.map { lens.pixel(of: pose.inverse * $0) } : []
      for feature in frame.features {
        func matches(_ pixel: (u: Double, v: Double)?) -> Bool {
          pixel.map { abs($0.u - feature.u) < 1e-6 && abs($0.v - feature.v) < 1e-6 } ?? false
        }
        if let landmark = landmarkOf[feature.featureID] {
          #expect(matches(lens.pixel(of: pose.inverse * landmarks[landmark])))
          checked += 1
        } else if isThorough {
          let landmark: Int = try #require(pixels.firstIndex(where: matches))
          landmarkOf[feature.featureID] = landmark
        }
      }
    }
    #expect(checked > 10_000)
  }
}
