import Estimator
import EstimatorTestSupport
import Foundation
import Geometry
import Simulation
import Testing

/// The whole filter in a small world: points on the walls of a room, a device that is stationary, moves, or has faulty
/// data.
@Suite struct VisualInertialEstimatorTests {
  typealias World = SmallRoom

  static func drift(_ run: [(report: FrameReport, pose: Pose?, seconds: Double)]) -> Double {
    let poses = run.compactMap { row in row.pose.map { ($0, row.seconds) } }
    guard let first = poses.first else { return .infinity }
    // The estimate's world begins at the first pose: compare the motion since then.
    let rotation = World.moving(first.1).rotation * first.0.rotation.inverse
    return poses.map { pose, t in
      (rotation * (pose.translation - first.0.translation)
        - (World.moving(t).translation - World.moving(first.1).translation))
        .norm
    }.max()!
  }

  @Test func initializesAndTracks() throws {
    var world = World(World.moving)
    let estimator = World.estimator()
    let run = world.run(20, estimator)
    let navigation = try #require(estimator.navigation)
    #expect(run[0].report.treatment == .waiting && run[0].report.waitingFor == "imu")
    #expect(run.contains { $0.report.treatment == .still } && run.last!.report.treatment == .moving)
    #expect(Self.drift(run) < 0.15)
    #expect((navigation.state.gyroscopeBias - World.gyroscopeBias).norm < 1e-3)
    #expect(run.allSatisfy { $0.report.updatesFailed == 0 } && estimator.restarts == 0)
  }

  @Test func stationaryWithoutDrift() throws {
    var world = World { _ in Pose(rotation: Rotation.exp(Vector3(0.2, 0.1, 0))) }
    let estimator = World.estimator()
    let run = world.run(20, estimator)
    let navigation = try #require(estimator.navigation)
    #expect(navigation.worldFromBody.translation.norm < 0.02)
    #expect(navigation.state.velocity.norm < 0.01)
    // The image's noise requires a clone now and then.
    #expect(run.count { $0.report.treatment == .still } > run.count * 9 / 10)
  }

  /// Three dark seconds: inertial propagation alone, with growing uncertainty.
  @Test func bridgesDarkness() throws {
    var world = World(World.moving)
    world.isDark = { $0 > 8 && $0 < 11 }
    let estimator = World.estimator()
    var before = 0.0, during = 0.0
    let run = world.run(16, estimator) { t, event in
      if let navigation = estimator.navigation {
        let p = navigation.covariance.marginal([navigation.poseBlock])
        if abs(t - 8) < 1e-9 { before = p[16 * 3] }
        if abs(t - 11) < 1e-9 { during = p[16 * 3] }
      }
      return event
    }
    #expect(during > 4 * before)
    #expect(run.filter { $0.seconds > 8.2 && $0.seconds < 10.9 }.allSatisfy { $0.report.tracksSeen == 0 })
    #expect(Self.drift(run) < 0.5 && estimator.restarts == 0)
  }

  /// Missing IMU data are bridged and raise the uncertainty; a frame beyond them is dropped.
  @Test func bridgesMissingSamples() throws {
    var world = World(World.moving)
    let estimator = World.estimator()
    let run = world.run(16, estimator) { t, event in
      if case .imu = event { return (t > 6 && t < 6.06) || (t > 9 && t < 9.3) ? nil : event }
      return event
    }
    let navigation = try #require(estimator.navigation)
    #expect(navigation.dropouts > 0)
    #expect(run.contains { $0.report.treatment == .dropped })
    #expect(Self.drift(run) < 1 && navigation.isHealthy)
  }

  /// For any input no output is NaN, and nothing traps.
  @Test func survivesInvalidInput() throws {
    var world = World(World.moving)
    var source = SeededRandom(seed: 9)
    let estimator = World.estimator()
    let run = world.run(12, estimator) { t, event in
      guard t > 4 else { return event }
      switch event {
      case .imu(var sample):
        if source.chance(0.02) { sample.specificForce = Vector3(.nan, 1e300, -.infinity) }
        if source.chance(0.02) { sample.timestamp = World.start }
        if source.chance(0.002) { sample.angularVelocity = Vector3(repeating: 1e8) }
        return .imu(sample)
      case .frame(var frame):
        if source.chance(0.1) { frame.timestamp = World.start }
        for i in frame.features.indices where source.chance(0.1) {
          frame.features[i].u = [Double.nan, .infinity, -1e12, 1e300, 0].randomElement(using: &source)!
        }
        return source.chance(0.05) ? nil : .frame(frame)
      default: return event
      }
    }
    for row in run {
      if let pose = row.pose { #expect(pose.translation.isFinite && pose.rotation.v.isFinite) }
    }
  }

  @Test func sameInputSameNumbers() throws {
    let runs = (0..<2).map { _ in
      var world = World(World.moving)
      return world.run(8, World.estimator())
    }
    #expect(runs[0].map(\.report) == runs[1].map(\.report))
    #expect(runs[0].map(\.pose) == runs[1].map(\.pose))
  }

  /// An augmented vector is corrected with the rest through its correlation.
  @Test func augmentedStatesAreCorrected() throws {
    var world = World(World.moving)
    let estimator = World.estimator()
    _ = world.run(5, estimator)
    let navigation = try #require(estimator.navigation)
    var positionRows = [Double](repeating: 0, count: 45)
    for i in 0..<3 { positionRows[15 * i + 3 + i] = 1 }
    let offset = navigation.worldFromNavigation.translation
    let value = [offset.x + 1, offset.y, offset.z]
    let independent: [Double] = [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01]
    let block = try #require(
      navigation.augment(value, jacobian: [(navigation.poseBlock, positionRows)], independent: independent))
    let update = navigation.covariance.update(jacobian: [(block, [1, 0, 0])], residual: [0.5], noise: [1e-6])
    guard case .accepted(_, let correction) = update else { Issue.record("refused"); return }
    navigation.apply(correction)
    #expect(abs(navigation.vector(block)[0] - (value[0] + 0.5)) < 1e-3)
    #expect(navigation.worldFromNavigation.translation.x > offset.x)
    navigation.removeVector(block)
    #expect(!navigation.covariance.contains(block))
  }
}
