import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import Testing

/// How far it is trusted that a peer is left and not right of the way, where another tracker tells the way.
@Suite struct LateralAmbiguityTests {
  /// A walk of ten seconds to the north-east that sways by `sway` metres, as a tracker sees it that errs by `error` in a second, 1-sigma; it
  /// knows itself to err by half as much again.
  private static func mirror(sway: Double, error: Double, seed: UInt64 = 1, observesSide: Bool = false) -> LateralAmbiguity? {
    var random = SeededRandom(seed: seed)
    var aperture = PathExcitation()
    var made = Vector3.zero
    for i in 0..<100 {
      let t = 0.1 * Double(i)
      made += error * 0.1.squareRoot() * random.gaussian3()
      let walked = 0.9 * t * Vector3(0.6, 0.8, 0) + sway * sin(2 * .pi * 0.9 * t) * Vector3(0.8, -0.6, 0)
      aperture.note(
        walked + made, seconds: 0.1, drift: AccumulatedDrift(positionVariance: 0.1 * 2.25 * error * error), range: 4,
        observesSide: observesSide, observesHeight: false)
    }
    return aperture.lateralAmbiguity
  }

  /// What the tracker makes up beside a straight walk is hardly ever taken for a way; a sway far over its error is; the mirror is upright, along the walk.
  @Test func onlyAWayIsReal() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let straight = try #require(Self.mirror(sway: 0, error: 0.08, seed: seed))
      #expect(straight.reliability < 0.5)
      let swaying = try #require(Self.mirror(sway: 0.1, error: 0.015, seed: seed))
      #expect(swaying.reliability > 0.9)
      #expect(abs(swaying.plane.normal.dot(Vector3(0.8, -0.6, 0))) > 0.99 && swaying.plane.normal.z == 0)
    }
  }

  @Test func whatIsKnownIsBelieved() {
    #expect(Self.mirror(sway: 0, error: 0) == nil)
    #expect(Self.mirror(sway: 0.1, error: 0.001) == nil)
    #expect(Self.mirror(sway: 0, error: 0.08, observesSide: true) == nil)
    #expect(PathExcitation().lateralAmbiguity == nil)
  }

  /// Steps aside are drawn with variance `real` and seen with an error of variance 1; ranges change by them times 0.8, with noise. What hypotheses
  /// make of it, who take the steps for what was seen, is corrected: the side is wrong no more often than is said. Left as it is, it is far too
  /// sure where little is real.
  @Test(arguments: [0.05, 0.3, 1, 10], [0.5, 3])
  func aSideIsWrongNoMoreOftenThanIsSaid(real: Double, noise: Double) {
    var random = SeededRandom(seed: 23)
    let mirror = LateralAmbiguity(
      plane: ReflectionPlane(point: .zero, normal: Vector3(0, 1, 0)), reliability: real / (real + 1))
    var (said, saidBefore, wrong, draws) = (0.0, 0.0, 0.0, 0.0)
    for _ in 0..<4000 {
      var odds = 0.0
      for _ in 0..<40 {
        let step = real.squareRoot() * random.gaussian()
        let change = 0.8 * step + noise * random.gaussian()
        odds += 2 * 0.8 * (step + random.gaussian()) * change / (0.64 + noise * noise)
      }
      let share = 1 / (1 + exp(-odds))
      let belief = Self.belief(share, mirror)
      let left = belief.places.reduce(0) { $0 + ($1.position.y > 0 ? $1.weight : 0) }
      #expect((left > 0.5) == (share > 0.5) && max(left, 1 - left) <= max(share, 1 - share) + 1e-12)
      said += min(left, 1 - left)
      saidBefore += min(share, 1 - share)
      if share < 0.5 { wrong += 1 }
      draws += 1
    }
    let luck = 3 * (max(wrong, 1) / draws / draws).squareRoot()
    #expect(wrong / draws < said / draws + luck, "\(wrong / draws) wrong, \(said / draws) said")
    if real <= 0.3 { #expect(wrong > 1.1 * saidBefore, "\(wrong / draws) wrong, \(saidBefore / draws) said without") }
  }

  /// A share of a belief left of the way, the rest right of it.
  private static func belief(_ share: Double, _ mirror: LateralAmbiguity?) -> PosteriorView {
    PosteriorView(
      worldFromDevice: Beliefs.device,
      gaussians: [(share, 2.0), (1 - share, -2.0)].map {
        PositionGaussian(weight: $0.0, position: Vector3(1, $0.1, 0.5), covariance: 0.01 * Matrix3.identity)
      }, lateralAmbiguity: mirror)
  }

  /// The angle, the place and its spread are read off both sides; a way that is no more than straight leaves both alike.
  @Test func aSideThatIsNotBelievedHasAnImage() {
    let mirror = LateralAmbiguity(plane: ReflectionPlane(point: .zero, normal: Vector3(0, 1, 0)), reliability: 0)
    let (alone, belief) = (Self.belief(0.999, nil), Self.belief(0.999, mirror))
    #expect(abs(belief.places.reduce(0) { $0 + $1.weight } - 1) < 1e-12)
    #expect(abs(belief.position.mean.y) < 1e-9 && abs(alone.position.mean.y - 1.996) < 1e-9)
    #expect(belief.mirrorSpread[1, 1] > 3.9 && belief.gaussians == alone.gaussians)
    #expect(Beliefs.readout(belief).noAngle == .mirror && Beliefs.readout(alone).noAngle == nil)
    #expect(abs(belief.distance.mean - alone.distance.mean) < 1e-9)
  }

  /// Who isMoving straight while the tracker wanders is shown no arrow to the wrong side. Without the mirror the arrows of these six were 30 to 139 degrees off
  /// in the median.
  @Test(arguments: [1, 36, 57, 68, 103, 146] as [UInt64])
  func aWanderingTrackerGivesNoWrongSide(seed: UInt64) throws {
    var scenario = try Scenario.named("mc-walk").followedByOdometry
    (scenario.odometry!.rate, scenario.odometry!.positionRandomWalk, scenario.odometry!.yawRandomWalk) = (50, 0.08, 0)
    let simulator = try Simulator(scenario: scenario, seed: seed)
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: true)
    for case .update(let update) in simulator.events().flatMap({ finder.process($0) }) + finder.finish() {
      if let error = PromiseTests.angleError(update, simulator) {
        #expect(abs(error) < Angle.degrees(20), "\(update.timestamp.seconds(since: Simulator.start)) s")
      }
    }
  }
}
