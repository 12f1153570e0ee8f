import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import TestSupport

/// Counts over the trials of one motion.
package struct CoverageTally {
  package var angles = 0
  package var covered = 0
  package var beyond45 = 0
  package var converged = 0
  package var falselyConverged = 0
  package var lost = 0
  /// Fraction of the published 90 % intervals that hold the truth.
  package var coverage: Double { Double(covered) / Double(max(angles, 1)) }
  /// Trials whose posterior's 90 % interval holds the truth at the end, published or not.
  package var coveredAtTheEnd = 0

  /// The default settings.
  package static let shipped = FinderConfiguration()

  /// Settings with the trials' exact noise model.
  package static let matched = { () -> FinderConfiguration in
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

  /// Searches of six seconds on a known path.
  package static func over(
    _ motion: RangingTrial.Motion, _ configuration: FinderConfiguration = shipped, trials: Int, seed: UInt64,
    nlosShare: Double = 0
  ) -> CoverageTally {
    let rule = PublicationRules(configuration)
    var random = SeededRandom(seed: seed)
    var tally = CoverageTally()
    for _ in 0..<trials {
      let trial = RangingTrial(motion, seconds: 6, random: &random, nlosShare: nlosShare)
      var posterior = PeerFilter(configuration: configuration.ranging, antennas: [""], statedNoise: nil)
      var vertical = VerticalLevelHysteresis(decide: configuration.verticalDecision, drop: configuration.verticalDrop)
      let heading = Rotation.yaw(random.uniform(-.pi ... .pi)) * HeldPhone.facingNorth
      for (k, reading) in trial.readings.enumerated() {
        posterior.update(
          .init(
            timestamp: Timestamp(nanoseconds: Int64(reading.time * 1e9)), range: reading.range, antenna: reading.device,
            device: reading.device))
        guard k >= 10, k % 5 == 0 else { continue }
        let view = PosteriorView(
          worldFromDevice: Pose(rotation: heading, translation: reading.device), gaussians: posterior.gaussians,
          axesUncertainty: Angle.degrees(configuration.axesUncertaintyDegrees))
        let estimate = PublishableEstimate(view, worldCovariance: view.position.covariance, rule)
        vertical.update(above: estimate.vertical.above, below: estimate.vertical.below, same: estimate.vertical.same)
        let convergence = rule.convergence(
          .init(estimate: estimate, vertical: vertical.estimate, dark: false, weakness: []))
        let truth = HorizontalAngle.of(trial.peer - reading.device, worldFromDevice: heading)
        if let angle = estimate.angle {
          tally.angles += 1
          let error = abs(Angle.wrapped(angle.value - truth))
          let above = Angle.wrapped(truth - angle.low)
          if above >= 0, above <= angle.high - angle.low { tally.covered += 1 }
          if error > .pi / 4 { tally.beyond45 += 1 }
          if convergence.status == .converged {
            tally.converged += 1
            if error > .pi / 9 { tally.falselyConverged += 1 }
          }
        }
        guard k == trial.readings.count - 1 else { continue }
        if !holds(view, trial.peer) { tally.lost += 1 }
        let marginal = view.horizontalAngle
        let offset = Angle.wrapped(truth - marginal.mean)
        if offset >= marginal.quantile(0.05), offset <= marginal.quantile(0.95) { tally.coveredAtTheEnd += 1 }
      }
    }
    return tally
  }

  /// True where some Gaussian of the posterior holds the truth within four sigma.
  package static func holds(_ view: PosteriorView, _ truth: Vector3) -> Bool {
    view.gaussians.contains { g in
      guard g.weight > 1e-5, let information = (g.covariance + 1e-4 * Matrix3.identity).inverse else { return false }
      return information.form(truth - g.position, truth - g.position) < 16
    }
  }

  /// Motions that make the direction observable.
  package static let informativeMotions = [RangingTrial.Motion.arc, .arcAndVertical, .lWalk]
}
