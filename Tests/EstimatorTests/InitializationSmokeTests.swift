import CameraGeometry
import Estimator
import EstimatorTestSupport
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation
import Testing

/// One or two draws of each law of `DynamicInitializerStatistics`, `InitializationConsistencyStatistics`,
/// `StaticInitializerStatistics` and `SwayingStartTests`.
@Suite struct InitializationSmokeTests {
  /// A normalised square of eleven degrees of freedom exceeds this once in a thousand times.
  static let rare = 31.3

  @Test(arguments: StartWorld.Grade.allCases, [0.0, 0.8])
  func aStartInMotionIsAsUncertainAsItErrs(grade: StartWorld.Grade, trackCorrelationTime: Double) throws {
    var world = StartWorld(seed: 1001, grade: grade)
    world.trackCorrelationTime = trackCorrelationTime
    let estimate = try #require(world.start().0)
    #expect(try #require(world.error(estimate).nees) < Self.rare)
  }

  @Test func movingPointsGiveAStationaryDeviceNoVelocity() {
    var world = StartWorld(seed: 3001)
    let pose = world.worldFromBody(0)
    world.worldFromBody = { _ in pose }
    for id in stride(from: 1, to: world.points.count, by: 16) { world.slides[id] = SIMD2(50, 20) }
    let (estimate, refusal) = world.start()
    #expect(estimate == nil && refusal == .scale)
  }

  /// A velocity without acceleration, and an acceleration that looks like gravity's tilt, are unobservable.
  @Test(arguments: [0.0, 0.4]) func aSteadyMotionIsRefused(acceleration: Double) {
    var world = StartWorld(seed: 1)
    world.worldFromBody = { t in Pose(translation: Vector3(0, 0.7 * t + acceleration * t * t, 0.1 * t)) }
    #expect(world.start().0 == nil)
  }

  /// One track in five moves in its own direction.
  @Test func aStartAmongMovingTracksIsAsUncertainAsItErrs() throws {
    var world = StartWorld(seed: 201), random = SeededRandom(seed: 1)
    for id in stride(from: 0, to: world.points.count, by: 5) {
      world.slides[id] = SIMD2(random.uniform(-150...150), random.uniform(-150...150))
    }
    let estimate = try world.initializer.attempt(world.window(1.2), world.samples(1.25)).get()
    #expect(try #require(world.error(estimate).nees) < Self.rare)
  }

  /// A walk in progress with few short tracks: the displacement of the first second errs by no more than seven times
  /// its variance, the bound of nine in ten starts.
  @Test(arguments: [1, 2] as [UInt64]) func anAdmittedStartIsAsUncertainAsItErrs(seed: UInt64) throws {
    let rows = try SimulatedRun(.walkWithOutliers(), seed: seed, fromTruth: false).rows
      .filter { $0.error != nil && $0.epoch == 0 }
    let first = try #require(rows.first), later = try #require(rows.first { $0.seconds >= first.seconds + 1 })
    let from = try #require(first.error), to = try #require(later.error)
    let yaw = Rotation.yaw((from.estimate.rotation * from.truth.rotation.inverse).twistAboutZ)
    let error =
      to.estimate.translation - from.estimate.translation - yaw * (to.truth.translation - from.truth.translation)
    let drift = try #require((later.drift - first.drift).position.inverse)
    #expect(drift.form(error, error) / 3 < 7)
  }

  /// The first tilt in a hand: a normalised square of two degrees of freedom above 13.8 occurs once in a thousand
  /// times.
  @Test func theFirstTiltIsAsUncertainAsItErrs() throws {
    let scenario = Scenario(name: "hold", summary: "-", peers: [], motion: [.motion(.hold(duration: 1))])
    let run = try SimulatedRun(scenario, seed: 1, fromTruth: false)
    let first = try #require(run.rows.lazy.compactMap(\.error).first)
    let up = first.estimate.rotation * (first.truth.rotation.inverse * Vector3(0, 0, 1))
    let theta = Rotation.carrying(Vector3(0, 0, 1), into: up).inverse.log
    let (a, b, c) = (first.covariance[0], first.covariance[1], first.covariance[7])
    let square = (c * theta.x * theta.x - 2 * b * theta.x * theta.y + a * theta.y * theta.y) / (a * c - b * b)
    #expect(square < 13.8)
  }

  /// A slow sway is not taken for the gyroscope's bias: of 30 hands the worst is at eight.
  @Test func aSlowRotationIsNotABias() throws {
    let run = try SimulatedRun(.swayingHand, seed: 1, fromTruth: false)
    let navigation = try #require(run.navigation)
    let truth = try #require(Simulator(scenario: .swayingHand, seed: 1).truth().last?.gyroscopeBias)
    let error = navigation.state.gyroscopeBias - truth
    let all = navigation.covariance.marginal([navigation.poseBlock])
    var covariance = Matrix3.zero
    for i in 0..<3 { for j in 0..<3 { covariance[i, j] = all[15 * (9 + i) + 9 + j] } }
    #expect(try #require(covariance.inverse).form(error, error) / 3 < 8)
  }
}
