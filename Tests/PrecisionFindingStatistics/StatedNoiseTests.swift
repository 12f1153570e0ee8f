import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// A tracker that is worse than its `pixel_noise_sigma` says.
@Suite struct StatedNoiseTests {
  /// The run of a search with features that err by `noise` pixels and a statement of one; error of the last position, metres.
  private static func run(noise: Double, seed: UInt64, learns: Bool) throws -> (
    error: Double, restarts: Int, angles: Int, diagnoses: Set<String>
  ) {
    let simulator = try Simulator(scenario: FaultyStream.scenario { $0.camera!.pixelNoise = noise }, seed: seed)
    var (rig, configuration) = (simulator.rig, FinderConfiguration())
    rig.cameras[0].pixelNoise = 1
    configuration.learnsPixelNoise = learns
    let truth = simulator.truth()
    let finder = PrecisionFinder(rig: rig, configuration: configuration, useOdometry: false, initialState: truth[0])
    let outputs = simulator.events().flatMap { finder.process($0) } + finder.finish()
    let poses = outputs.compactMap { output -> (Timestamp, Pose)? in
      if case .pose(let time, let pose, _) = output { (time, pose) } else { nil }
    }
    let last = try #require(poses.last)
    let there = try #require(truth.last { $0.timestamp <= last.0 })
    return (
      (last.1.translation - there.worldFromBody.translation).norm, finder.summary.restarts,
      outputs.updates().filter { $0.object.horizontalAngle != nil }.count,
      Set(finder.diagnoses.map { $0.isHandled ? $0.code : "\($0.code) refuted" })
    )
  }

  /// The trajectory does not break: the images tell the noise before the gates refuse the tracks.
  @Test(arguments: [3.0, 5], [1, 2, 3] as [UInt64]) func understatedNoiseIsLearnt(noise: Double, seed: UInt64) throws {
    let run = try Self.run(noise: noise, seed: seed, learns: true)
    #expect(run.restarts == 0)
    #expect(run.error < 0.1 * noise)
    #expect(run.angles > 50)
    // What is handled is named, and withdraws nothing.
    #expect(run.diagnoses.subtracting(["featureNoise"]).isEmpty)
  }

  /// What learning is worth: without it trajectories are given up.
  @Test func withoutLearningItBreaks() throws {
    let restarts = try ([1, 2, 3] as [UInt64]).map { try Self.run(noise: 5, seed: $0, learns: false).restarts }
    #expect(restarts.reduce(0, +) > 0)
  }
}
