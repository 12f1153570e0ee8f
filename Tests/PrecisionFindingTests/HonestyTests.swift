import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import TestSupport
import Testing

/// What the default settings publish, over hundreds of trials with coloured ranges and a known path.
@Suite struct HonestyTests {
  /// What was published over the trials of one motion.
  struct Tally {
    var angles = 0
    var covered = 0
    var mirrored = 0
    var converged = 0
    var falselyConverged = 0
    var lost = 0
    /// Share of the published 90 % intervals that hold the truth.
    var coverage: Double { Double(covered) / Double(max(angles, 1)) }
    /// Trials whose posterior's 90 % interval holds the truth at the end, published or not.
    var coveredAtTheEnd = 0
  }

  /// The settings as they are shipped.
  static let shipped = FinderConfiguration()
  /// Settings that know the trials' noise exactly.
  static let matched = { () -> FinderConfiguration in
    var configuration = FinderConfiguration()
    configuration.ranging.noiseCandidates = [[RangingTrial.coloured, RangingTrial.memory]]
    configuration.ranging.assumedNoise = hypot(RangingTrial.white, RangingTrial.coloured)
    configuration.ranging.statedNoisePseudoCount = .infinity
    configuration.ranging.biasPrior = RangingTrial.constant
    configuration.ranging.correlationLength = 1e9
    configuration.ranging.scalePrior = 1e-6
    configuration.ranging.peerRandomWalk = 0
    return configuration
  }()

  static func tally(
    _ motion: RangingTrial.Motion, _ configuration: FinderConfiguration = shipped, trials: Int, seed: UInt64,
    nlosShare: Double = 0
  ) -> Tally {
    let judge = ConvergenceJudge(configuration)
    var random = SeededRandom(seed: seed)
    var tally = Tally()
    for _ in 0..<trials {
      let trial = RangingTrial(motion, seconds: 6, random: &random, nlosShare: nlosShare)
      var posterior = PeerFilter(configuration: configuration.ranging, antennas: [""], statedNoise: nil)
      var vertical = VerticalJudge(decide: configuration.verticalDecision, drop: configuration.verticalDrop)
      let heading = Rotation.yaw(random.uniform(-.pi ... .pi)) * HorizontalAngleTests.upright
      for (k, reading) in trial.readings.enumerated() {
        posterior.update(
          .init(
            timestamp: Timestamp(nanoseconds: Int64(reading.time * 1e9)), range: reading.range, antenna: reading.device,
            device: reading.device))
        guard k >= 10, k % 5 == 0 else { continue }
        let belief = PosteriorView(
          worldFromDevice: Pose(rotation: heading, translation: reading.device), gaussians: posterior.gaussians,
          axesUncertainty: Angle.degrees(configuration.axesUncertaintyDegrees))
        let readout = PublishableEstimate(belief, worldCovariance: belief.position.covariance, configuration)
        vertical.update(above: readout.vertical.above, below: readout.vertical.below, same: readout.vertical.same)
        let judged = judge.judge(
          .init(readout: readout, vertical: vertical.estimate, dark: false, weakness: []))
        let truth = HorizontalAngle.of(trial.peer - reading.device, worldFromDevice: heading)
        if let angle = readout.angle {
          tally.angles += 1
          let error = abs(Angle.wrapped(angle.value - truth))
          let above = Angle.wrapped(truth - angle.low)
          if above >= 0, above <= angle.high - angle.low { tally.covered += 1 }
          if error > .pi / 4 { tally.mirrored += 1 }
          if judged.status == .converged {
            tally.converged += 1
            if error > .pi / 9 { tally.falselyConverged += 1 }
          }
        }
        guard k == trial.readings.count - 1 else { continue }
        if !holds(belief, trial.peer) { tally.lost += 1 }
        let marginal = belief.horizontalAngle
        let offset = Angle.wrapped(truth - marginal.mean)
        if offset >= marginal.quantile(0.05), offset <= marginal.quantile(0.95) { tally.coveredAtTheEnd += 1 }
      }
    }
    return tally
  }

  /// True where some share of the posterior has the truth within four sigma.
  static func holds(_ belief: PosteriorView, _ truth: Vector3) -> Bool {
    belief.gaussians.contains { g in
      guard g.weight > 1e-5, let information = (g.covariance + 1e-4 * Matrix3.identity).inverse else { return false }
      return information.form(truth - g.position, truth - g.position) < 16
    }
  }

  static let telling = [RangingTrial.Motion.arc, .arcAndVertical, .lWalk]

  /// Where the motion can tell and the noise is known, 90 % intervals hold the truth as often as they say.
  @Test(arguments: telling)
  func ninetyPercentIntervalsAreNinetyPercentIntervals(motion: RangingTrial.Motion) {
    let tally = Self.tally(motion, Self.matched, trials: 300, seed: 121)
    #expect(tally.angles > 300 && tally.coverage >= 0.85 && tally.coverage <= 0.97, "\(tally)")
    #expect(tally.coveredAtTheEnd >= 255 && tally.coveredAtTheEnd <= 291, "\(tally)")
    #expect(tally.lost <= 3, "\(tally)")
  }

  /// The shipped settings have to find the noise out, which costs a little width.
  @Test(arguments: telling)
  func shippedSettingsAreHonest(motion: RangingTrial.Motion) {
    let tally = Self.tally(motion, trials: 300, seed: 121)
    #expect(tally.angles > 300 && tally.coverage >= 0.85 && tally.coverage <= 0.97, "\(tally)")
    #expect(Double(tally.mirrored) <= 0.01 * Double(tally.angles), "\(tally)")
    #expect(tally.falselyConverged == 0 && tally.lost <= 3, "\(tally)")
  }

  /// On a straight line left and right are one: no angle may take a side, and nothing converges.
  @Test func swayNeverTakesASide() {
    let tally = Self.tally(.sway, trials: 300, seed: 122)
    #expect(Double(tally.mirrored) <= 0.01 * Double(tally.angles), "\(tally)")
    #expect(tally.converged == 0 && tally.lost <= 3, "\(tally)")
  }

  @Test func standingStillNeverGivesAnAngle() {
    let tally = Self.tally(.still, trials: 100, seed: 123)
    #expect(tally.angles == 0 && tally.converged == 0 && tally.lost <= 1, "\(tally)")
  }

  /// A tenth of the ranges too long by half a metre on average: honest enough, and never locked out.
  @Test func blockedRangesNeitherFoolNorLockOut() {
    let tally = Self.tally(.arc, trials: 300, seed: 124, nlosShare: 0.1)
    #expect(tally.angles > 300 && tally.coverage >= 0.80, "\(tally)")
    #expect(tally.lost <= 3, "\(tally)")
  }
}
