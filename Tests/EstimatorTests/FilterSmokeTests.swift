import EstimatorTestSupport
import Foundation
import Geometry
import Simulation
import Testing

/// One run of each law of the filter that EstimatorStatistics tests over many: a mechanism that is broken shows here.
///
/// A normalised square of three degrees of freedom exceeds 16.3 once in a thousand times, and the errors of one run move
/// together: `rare` is what the mean of one run stays below. Path errors are below a centimetre here, with a fault or
/// without; their bounds are two to four times those of the seed, and a wrong sign or frame costs decimetres.
@Suite struct FilterSmokeTests {
  static let rare = 16.3

  /// A hold and one search of six seconds.
  static func search(_ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    .searchWalkSearch {
      $0.motion = Array($0.motion.prefix(2))
      change(&$0)
    }
  }

  static func expectSound(
    _ run: SimulatedRun, ate: Double, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let errors = run.errors()
    #expect(errors.yawAligned < ate, comment, sourceLocation: sourceLocation)
    #expect(errors.nees.position < rare && errors.nees.attitude < rare, comment, sourceLocation: sourceLocation)
    #expect(run.restarts == 0, comment, sourceLocation: sourceLocation)
  }

  /// Nothing is wrong: a centimetre, and of some thousand tracks two at most are taken for outliers.
  @Test func aCleanSearch() throws {
    let run = try SimulatedRun(Self.search(), seed: 1)
    Self.expectSound(run, ate: 0.02)
    #expect(run.rows.reduce(0) { $0 + $1.report.tracksOutlying } <= 2)
  }

  /// Of the measurements of a consistent filter the gate at 95 % rejects one in twenty; one that is twice as wide, one in
  /// some hundreds.
  @Test func theGateIsThatOfNinetyFivePercent() throws {
    var world = SmallRoom(SmallRoom.moving)
    let run = world.run(16, SmallRoom.estimator())
    let used = run.reduce(0) { $0 + $1.report.tracksUsed }, rejected = run.reduce(0) { $0 + $1.report.tracksRejected }
    #expect(used > 3000)
    #expect((0.03...0.07).contains(Double(rejected) / Double(used + rejected)))
  }

  @Test func aSecondWithoutFrames() throws {
    let run = try SimulatedRun(Self.search(), seed: 1) { t, event in
      if case .frame = event, (4...5).contains(t) { nil } else { event }
    }
    Self.expectSound(run, ate: 0.03)
  }

  /// A gap of a twelfth of a second is interpolated, one of a third is bridged and counted.
  @Test(arguments: [(0.08, false), (0.3, true)]) func gapsInTheInertialData(gap: Double, isBridged: Bool) throws {
    let run = try SimulatedRun(Self.search(), seed: 1) { t, event in
      if case .imu = event, (4...4 + gap).contains(t) { nil } else { event }
    }
    Self.expectSound(run, ate: 0.03)
    #expect((run.dropouts > 0) == isBridged)
  }

  @Test func aLongGapStartsANewWorld() throws {
    let run = try SimulatedRun(.searchWalkSearch(), seed: 1) { t, event in
      if case .imu = event, (5...7).contains(t) { nil } else { event }
    }
    #expect(run.restarts == 1 && run.errors(epoch: 1).yawAligned < 0.5)
  }

  /// Readings cut at 2 g, unknown to the filter.
  @Test func saturatedReadings() throws {
    let shake = HandMotion.arc(
      duration: 3, arm: 0.6, horizontal: .init(amplitude: Angle.degrees(40), period: 1),
      vertical: .init(amplitude: 0.2, period: 1.3))
    let scenario = Self.search {
      $0.motion.append(.motion(shake))
      $0.imu.accelerometerTriad.limit = 2 * 9.81
    }
    Self.expectSound(try SimulatedRun(scenario, seed: 1), ate: 0.05)
  }

  /// Two dark seconds: the same world, and a position that is thrice as uncertain.
  @Test func darkness() throws {
    let run = try SimulatedRun(Self.search { $0.camera!.dark = [3...5] }, seed: 1)
    Self.expectSound(run, ate: 0.06)
    #expect(run.navigation?.epoch == 0)
    func sigma(_ t: Double) throws -> Double { try #require(run.error(at: t)).covariance[21].squareRoot() }
    #expect(try sigma(4.9) > 3 * sigma(2.9))
  }

  /// Twenty dark seconds with a cheap IMU: the position is lost, which begins an epoch.
  @Test func positionLossInTheDarkBeginsAnEpoch() throws {
    let scenario = Self.search {
      $0.motion.append(.motion(.walk(distance: 9, speed: 0.45, heading: 0, bob: 0.015, stepRate: 1.8)))
      ($0.imu.accelerometerNoiseDensity, $0.imu.accelerometerRandomWalk) = (1e-2, 1e-3)
      ($0.imu.gyroscopeNoiseDensity, $0.imu.gyroscopeRandomWalk) = (1e-3, 1e-4)
      $0.room.high.x = 20
      $0.camera!.dark = [7...26]
    }
    let run = try SimulatedRun(scenario, seed: 1)
    #expect(run.restarts == 0 && run.navigation?.epoch == 1)
  }

  /// Half a second between the clocks of camera and IMU, as calibrated, costs nothing.
  @Test(arguments: [-0.5, 0.5]) func clocksThatDiffer(offset: Double) throws {
    Self.expectSound(try SimulatedRun(Self.search { $0.camera!.timeOffset = offset }, seed: 1), ate: 0.03)
  }

  /// Three tracks in ten move.
  @Test func movingTracksAreRejected() throws {
    let run = try SimulatedRun(Self.search { $0.camera!.outlierShare = 0.3 }, seed: 1)
    Self.expectSound(run, ate: 0.03)
    #expect(run.rows.reduce(0) { $0 + $1.report.tracksOutlying } > 30)
  }

  /// A person crosses nearby; half of the tracks move along, and are rejected.
  @Test func aCrossingPersonDoesNotBiasTheFilter() throws {
    var scenario = try Scenario.named("crossing")
    let crossed = try SimulatedRun(scenario, seed: 1)
    scenario.movers = []
    let alone = try SimulatedRun(scenario, seed: 1)
    Self.expectSound(crossed, ate: 0.02 + 1.3 * alone.errors().yawAligned)
    func rejected(_ run: SimulatedRun) -> Int { run.rows.reduce(0) { $0 + $1.report.tracksOutlying } }
    #expect(rejected(crossed) > rejected(alone) + 25)
  }

  /// Five seconds from a state that is drawn from its own covariance.
  @Test func neesOfOneRun() throws {
    let run = try ConsistencyRun(seed: 1, seconds: 5)
    #expect(run.position < Self.rare && run.attitude < Self.rare && run.landmarks >= 20)
  }

  /// Put down for eight seconds after a search, and picked up.
  @Test(arguments: PutDownDevice.Rest.allCases) func aStationaryDeviceDoesNotDrift(rest: PutDownDevice.Rest) throws {
    let begin = rest == .fromTheBeginning ? 0.0 : 10.5, end = begin + 8
    let run = try SimulatedRun(PutDownDevice.scenario(rest, .phone, seconds: 8), seed: 1)
    let early = try #require(run.error(at: begin + 5)), late = try #require(run.error(at: end - 0.1))
    #expect((late.position - early.position).norm < 0.01)
    #expect(
      run.rows.filter { (begin + 1...end - 0.2).contains($0.seconds) }.allSatisfy { $0.report.treatment == .still })
    let leaving = run.rows.filter { (end + 0.3...end + 4).contains($0.seconds) }
    #expect(rest == .fromTheBeginning || leaving.allSatisfy { $0.report.treatment == .moving })
    #expect(run.restarts == 0)
  }

  /// A rotation about the IMU alone leaves the calibration unobservable: its sigmas stay.
  @Test func unobservablePartsOfTheCalibrationStay() throws {
    let run = try CalibratingRun.run(
      { CalibratingRun.rotated(.yaw(0.3 * sin(0.8 * $0))) }, seconds: 8, seed: 1, isOnline: true)
    #expect(zip(run.last, run.first).allSatisfy { $0 >= 0.95 * $1 })
    // Eleven errors over all frames, each within four sigmas.
    #expect(run.largest.allSatisfy { $0 < 4 })
  }

  /// A motion that excites everything: lens and mount are learnt, and every sigma shrinks.
  @Test func anExcitingMotionCalibrates() throws {
    let run = try CalibratingRun.run(CalibratingRun.stopping, seconds: 12, seed: 1, isOnline: true)
    #expect(run.learnt.contains(.lens) && run.learnt.contains(.rotation))
    #expect(zip(run.last, run.first).allSatisfy { $0 < 0.8 * $1 })
    #expect(zip(run.lastErrors, run.last).allSatisfy { abs($0) < 4 * $1 })
  }

  /// A focal length off by 1 % is found to a fifth of that.
  @Test func aWrongCalibrationIsFound() throws {
    let scenario = try Scenario.named("miscalibrated")
    let run = try SimulatedRun(scenario, seed: 1, learning: .allOnline)
    let simulator = try Simulator(scenario: scenario, seed: 1)
    let truth = simulator.rig.cameras[0], stated = simulator.statedRig.cameras[0]
    let navigation = try #require(run.navigation)
    let errors = try #require(CalibrationErrors(navigation, truth: truth, stated: stated))
    #expect(errors.inSigmas.allSatisfy { $0 < 4 })
    #expect(abs(errors.errors[7]) < 0.2 * 0.01)
  }

  /// The displacements of one walk err as much as the accumulated drift says: a mean over its moments, which err together.
  @Test(arguments: [true, false]) func driftOfOneWalk(fromTruth: Bool) throws {
    let ratios = try DriftRatios.over(.named("mc-walk-l"), seeds: 1...1, lag: 1, fromTruth: fromTruth)
    #expect(ratios.whole > 0.1 && ratios.whole < Self.rare / 3, "\(ratios)")
  }

  /// What the light takes back after a darkness is in the drift.
  @Test func driftIncludesCorrectionsAfterDarkness() throws {
    let ratios = try DriftRatios.over(.named("mc-walk-l"), seeds: 1...2, lag: 0.75, fromTruth: true, moments: 8.2...8.5)
    {
      seconds, event in
      guard (6.0...8.5).contains(seconds), case .frame(var frame) = event else { return event }
      frame.features = []
      return .frame(frame)
    }
    #expect(ratios.whole < Self.rare / 3, "\(ratios)")
  }

  /// A camera that moves straight on knows the direction of its displacement better than the length.
  @Test func driftIsAnisotropic() throws {
    let ratios = try DriftRatios.over(.named("mc-walk"), seeds: 1...1, lag: 0.5, fromTruth: true)
    #expect(ratios.along < Self.rare / 3 && ratios.across < Self.rare / 3, "\(ratios)")
  }

  /// A known baseline makes the path better.
  @Test func aSecondCameraMakesThePathBetter() throws {
    var scenario = try Scenario.named("stereo")
    scenario.motion = Array(scenario.motion.prefix(2))
    let one = try SimulatedRun(scenario, seed: 1).errors(),
      two = try SimulatedRun(scenario, seed: 1, cameras: 2).errors()
    #expect(two.yawAligned < one.yawAligned && two.nees.position < Self.rare)
  }

  /// A few moving tracks give a nearly still hand no velocity; without the rule it was half a metre off.
  @Test func movingTracksGiveANearlyStillHandNoVelocity() throws {
    let run = try SimulatedRun(.quietHandBeforeAWall, seed: 1, fromTruth: false)
    #expect(run.errors().yawAligned < 0.15)
  }

  /// The stationary model does not shorten a walk through a hall: one per cent is its 1-sigma.
  @Test func aWalkIsAsLongAsItIs() throws {
    var scenario = try Scenario.named("long-walk")
    scenario.motion = Array(scenario.motion.prefix(2))
    let run = try SimulatedRun(scenario, seed: 1).errors()
    let (first, last) = (run.rows[0], run.rows[run.rows.count - 1])
    let ratio =
      (last.estimate.translation - first.estimate.translation).norm
      / (last.truth.translation - first.truth.translation).norm
    #expect(abs(ratio - 1) < 0.03)
  }

  /// A phone's IMU whose axes are off by one per cent.
  @Test func axisErrorsAreEstimated() throws {
    Self.expectSound(try SimulatedRun(.named("rough-imu"), seed: 1), ate: 0.08)
  }
}
