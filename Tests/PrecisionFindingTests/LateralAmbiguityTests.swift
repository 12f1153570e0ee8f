import Estimator
import Foundation
import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import Ranging
import Simulation
import Testing

/// Reliability of left against right of the path, where another tracker provides the path.
@Suite struct LateralAmbiguityTests {
  /// A walk of ten seconds to the north-east that sways by `sway` metres, as seen by a tracker that errs by `error` in
  /// a second, 1-sigma; its stated error is half as much again.
  private static func lateralAmbiguity(sway: Double, error: Double, seed: UInt64 = 1, observesSide: Bool = false)
    -> LateralAmbiguity?
  {
    var random = SeededRandom(seed: seed)
    var excitation = PathExcitation()
    var made = Vector3.zero
    for i in 0..<100 {
      let t = 0.1 * Double(i)
      made += error * 0.1.squareRoot() * random.gaussian3()
      let moved = 0.9 * t * Vector3(0.6, 0.8, 0) + sway * sin(2 * .pi * 0.9 * t) * Vector3(0.8, -0.6, 0)
      excitation.add(
        moved + made, seconds: 0.1, drift: AccumulatedDrift(positionVariance: 0.1 * 2.25 * error * error), range: 4,
        observesSide: observesSide, observesHeight: false)
    }
    return excitation.lateralAmbiguity
  }

  /// The drift of the tracker beside a straight walk is hardly ever taken for lateral motion; a sway far over its error
  /// is. The plane is vertical, along the walk.
  @Test func onlyLateralMotionIsReliable() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let straight = try #require(Self.lateralAmbiguity(sway: 0, error: 0.08, seed: seed))
      #expect(straight.reliability < 0.5)
      let swaying = try #require(Self.lateralAmbiguity(sway: 0.1, error: 0.015, seed: seed))
      #expect(swaying.reliability > 0.9)
      #expect(abs(swaying.plane.normal.dot(Vector3(0.8, -0.6, 0))) > 0.99 && swaying.plane.normal.z == 0)
    }
  }

  @Test func aKnownPathHasNoAmbiguity() {
    #expect(Self.lateralAmbiguity(sway: 0, error: 0) == nil)
    #expect(Self.lateralAmbiguity(sway: 0.1, error: 0.001) == nil)
    #expect(Self.lateralAmbiguity(sway: 0, error: 0.08, observesSide: true) == nil)
    #expect(PathExcitation().lateralAmbiguity == nil)
  }

  /// Lateral displacements are drawn with variance `real` and observed with an error of variance 1; ranges change by
  /// them times 0.8, with noise. Hypotheses take the observed displacements as true. After the correction the side is
  /// wrong no more often than predicted. Without it, it is far too certain where little is real.
  @Test(arguments: [0.05, 0.3, 1, 10], [0.5, 3])
  func theSideIsWrongNoMoreOftenThanPredicted(real: Double, noise: Double) {
    var random = SeededRandom(seed: 23)
    let lateralAmbiguity = LateralAmbiguity(
      plane: ReflectionPlane(point: .zero, normal: Vector3(0, 1, 0)), reliability: real / (real + 1))
    var (expected, expectedBefore, wrong, draws) = (0.0, 0.0, 0.0, 0.0)
    for _ in 0..<4000 {
      var odds = 0.0
      for _ in 0..<40 {
        let step = real.squareRoot() * random.gaussian()
        let change = 0.8 * step + noise * random.gaussian()
        odds += 2 * 0.8 * (step + random.gaussian()) * change / (0.64 + noise * noise)
      }
      let probability = 1 / (1 + exp(-odds))
      let view = Self.view(probability, lateralAmbiguity)
      let left = view.gaussiansWithImages.reduce(0) { $0 + ($1.position.y > 0 ? $1.weight : 0) }
      #expect((left > 0.5) == (probability > 0.5) && max(left, 1 - left) <= max(probability, 1 - probability) + 1e-12)
      expected += min(left, 1 - left)
      expectedBefore += min(probability, 1 - probability)
      if probability < 0.5 { wrong += 1 }
      draws += 1
    }
    let luck = 3 * (max(wrong, 1) / draws / draws).squareRoot()
    #expect(wrong / draws < expected / draws + luck, "\(wrong / draws) wrong, \(expected / draws) predicted")
    if real <= 0.3 {
      #expect(wrong > 1.1 * expectedBefore, "\(wrong / draws) wrong, \(expectedBefore / draws) predicted without")
    }
  }

  /// A posterior with `probability` left of the path, the rest right of it.
  private static func view(_ probability: Double, _ lateralAmbiguity: LateralAmbiguity?) -> PosteriorView {
    PosteriorView(
      worldFromDevice: SampleViews.device,
      gaussians: [(probability, 2.0), (1 - probability, -2.0)].map {
        PositionGaussian(weight: $0.0, position: Vector3(1, $0.1, 0.5), covariance: 0.01 * Matrix3.identity)
      }, lateralAmbiguity: lateralAmbiguity)
  }

  /// The angle, the position and its spread include both sides; a straight path leaves both alike.
  @Test func anUnreliableSideHasAnImage() {
    let lateralAmbiguity = LateralAmbiguity(
      plane: ReflectionPlane(point: .zero, normal: Vector3(0, 1, 0)), reliability: 0)
    let (alone, view) = (Self.view(0.999, nil), Self.view(0.999, lateralAmbiguity))
    #expect(abs(view.gaussiansWithImages.reduce(0) { $0 + $1.weight } - 1) < 1e-12)
    #expect(abs(view.position.mean.y) < 1e-9 && abs(alone.position.mean.y - 1.996) < 1e-9)
    #expect(view.ambiguityCovariance[1, 1] > 3.9 && view.gaussians == alone.gaussians)
    #expect(SampleViews.estimate(view).noAngle == .ambiguous && SampleViews.estimate(alone).noAngle == nil)
    #expect(abs(view.distance.mean - alone.distance.mean) < 1e-9)
  }

  /// A straight walk with a drifting tracker gets no angle to the wrong side. Without the ambiguity the angles of these
  /// six were 30 to 139 degrees off in the median.
  @Test(arguments: [1, 36, 57, 68, 103, 146] as [UInt64])
  func aDriftingTrackerGivesNoWrongSide(seed: UInt64) throws {
    var scenario = try Scenario.named("mc-walk").withExternalOdometry
    (scenario.odometry!.rate, scenario.odometry!.positionRandomWalk, scenario.odometry!.yawRandomWalk) = (50, 0.08, 0)
    let simulator = try Simulator(scenario: scenario, seed: seed)
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: true)
    for case .update(let update) in simulator.events().flatMap({ finder.process($0) }) + finder.finish() {
      if let error = SimulatedSearch.angleError(update, simulator) {
        #expect(abs(error) < Angle.degrees(20), "\(update.timestamp.seconds(since: Simulator.start)) s")
      }
    }
  }
}
