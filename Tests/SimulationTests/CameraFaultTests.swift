import Foundation
import Geometry
import SensorData
import Simulation
import SimulationTestSupport
import Testing

/// Lost frames, a covered lens, a second camera, rolling shutter.
@Suite struct CameraFaultTests {
  private static func frames(_ scenario: Scenario, seed: UInt64 = 2) throws -> [CameraFrame] {
    try Simulator(scenario: scenario, seed: seed).events().compactMap {
      if case .frame(let frame) = $0.event { frame } else { nil }
    }
  }

  /// Lost frames have their fraction and come in bursts; those that arrive are the same as without any loss.
  @Test(arguments: [0.001, 0.4]) func lostFramesHaveTheSetFractionAndDwell(dwell: Double) throws {
    var scenario = Scenario(name: "rest", summary: "-", peers: [], motion: [.motion(.hold(duration: 900))])
    scenario.camera!.tracks = 3
    scenario.room.landmarks = 60
    scenario.room.furniture = 0
    let whole = try Self.frames(scenario)
    scenario.camera!.droppedShare = 0.25
    scenario.camera!.droppedDwell = dwell
    let arrived = try Self.frames(scenario)
    let stamps = Set(arrived.map(\.timestamp))
    #expect(arrived == whole.filter { stamps.contains($0.timestamp) })
    let isLost = whole.map { !stamps.contains($0.timestamp) }
    let bursts = zip(isLost, isLost.dropFirst()).count { !$0 && $1 }
    let lost = Double(isLost.count { $0 })
    #expect(abs(lost / Double(whole.count) - 0.25) < 4 * 0.25 * 0.75 * (2 / Double(bursts)).squareRoot())
    // A burst ends within a frame of 0.05 s with probability 0.75 (1 - exp(-0.05 / (0.75 dwell))).
    let expected = 1 / (0.75 * (1 - exp(-0.05 / (0.75 * dwell))))
    #expect(abs(lost / Double(bursts) / expected - 1) < 4 / Double(bursts).squareRoot())
  }

  @Test func onTheTableTheLensIsCoveredAndNothingMoves() throws {
    let scenario = try Scenario.named("put-down")
    let simulator = try Simulator(scenario: scenario, seed: 2)
    let frames = try Self.frames(scenario)
    // Put down from 9.5 s to 11 s, picked up from 16 s on. A spline reaches three control points ahead and one back.
    let lying = frames.filter { (11...16).contains($0.timestamp.seconds(since: Simulator.start)) }
    #expect(lying.count > 95 && lying.allSatisfy { $0.features.isEmpty && $0.meanLuma! < 0.05 })
    #expect(frames.filter { $0.timestamp.seconds(since: Simulator.start) > 17.6 }.allSatisfy { $0.features.count > 50 })
    for time in stride(from: 11.1, through: 15.8, by: 0.01) {
      let state = simulator.motion.kinematics(at: time)
      #expect(state.velocity.norm < 1e-9 && state.angularVelocity.norm < 1e-9)
      // Screen up.
      #expect((state.worldFromBody.rotation * Vector3(0, 0, 1) - Vector3(0, 0, 1)).norm < 1e-9)
    }
    #expect(abs(simulator.motion.kinematics(at: 13).worldFromBody.translation.z + 0.35) < 1e-9)
  }

  /// Both cameras have the same ids at the same times; the second observes a subset of the first's tracks.
  @Test func theSecondCameraSharesTheTracks() throws {
    let frames = try Self.frames(Scenario.named("stereo"))
    let (left, right) = (frames.filter { $0.camera == 0 }, frames.filter { $0.camera == 1 })
    #expect(left.map(\.timestamp) == right.map(\.timestamp))
    var shared = 0
    for (a, b) in zip(left, right) {
      let known = Dictionary(uniqueKeysWithValues: a.features.map { ($0.featureID, $0) })
      for feature in b.features where known[feature.featureID] != nil { shared += 1 }
      #expect(b.features.allSatisfy { known[$0.featureID] != nil })
      #expect(zip(b.features, b.features.dropFirst()).allSatisfy { $0.featureID < $1.featureID })
    }
    #expect(Double(shared) > 0.7 * Double(left.map(\.features.count).reduce(0, +)))
    // The same tracks as without a second camera.
    var single = try Scenario.named("stereo")
    single.camera!.second = nil
    #expect(try Self.frames(single) == left)
  }

  /// Every row is projected from the camera's pose at the row's own time.
  @Test func rowsAreExposedOneAfterTheOther() throws {
    var scenario = try Scenario.named("arc").withoutErrors
    scenario.camera!.shutter.rowSkew = 0.03
    let simulator = try Simulator(scenario: scenario, seed: 4)
    let camera = simulator.rig.cameras[0]
    let lens = Lens(camera)
    let landmarks = simulator.landmarks
    var largest = 0.0
    for frame in try Self.frames(scenario, seed: 4)[60..<64] {
      let time = frame.timestamp.seconds(since: Simulator.start)
      let middle = (simulator.motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera).inverse
      for feature in frame.features.prefix(20) {
        let rowTime = time + 0.03 * (feature.v / Double(camera.height - 1) - 0.5)
        let pose = (simulator.motion.kinematics(at: rowTime).worldFromBody * camera.bodyFromCamera).inverse
        let landmark = landmarks.first {
          lens.pixel(of: pose * $0).map { hypot($0.u - feature.u, $0.v - feature.v) < 0.002 } ?? false
        }
        let point = try #require(landmark)
        if let still = lens.pixel(of: middle * point) { largest = max(largest, abs(still.u - feature.u)) }
      }
    }
    #expect(largest > 2)
  }
}
