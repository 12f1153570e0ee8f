import Evaluation
import EvaluationTestSupport
import Geometry
import Simulation
import TestSupport
import Testing

/// The ideal observer at two resolutions.
@Suite struct IdealObserverStatistics {
  /// Cells half as wide give the same, to a small part of the posterior's own width.
  @Test(arguments: [RangingTrial.Motion.arc, .arcAndVertical, .lWalk, .still])
  func finerCellsAgree(motion: RangingTrial.Motion) throws {
    var random = SeededRandom(seed: 313)
    for seconds in [1.0, 3, 6] {
      let trial = RangingTrial(motion, seconds: seconds, random: &random)
      let device = trial.readings.last!.device
      let (coarse, fine) = (IdealTrialObserver.run(trial), IdealTrialObserver.run(trial, cellsPerSigma: 3))
      #expect(coarse.isResolved && fine.isResolved && coarse.count < fine.count)
      let (a, b) = (try IdealTrialObserver.view(coarse, device), try IdealTrialObserver.view(fine, device))
      let sigma = b.angleDeviation
      #expect(abs(Angle.wrapped(a.angle - b.angle)) < 0.01 * sigma)
      #expect(abs(a.angleDeviation - sigma) < 0.01 * sigma)
      #expect(abs(a.arc.lowerBound - b.arc.lowerBound) < 0.03 * sigma, "\(motion) \(seconds)")
      #expect(abs(a.arc.upperBound - b.arc.upperBound) < 0.03 * sigma, "\(motion) \(seconds)")
      #expect(abs(a.distance.mean - b.distance.mean) < 0.01 * b.distance.sigma)
      #expect(abs(a.distance.sigma - b.distance.sigma) < 0.01 * b.distance.sigma)
      #expect((a.position.mean - b.position.mean).norm < 0.01 * b.position.covariance.trace.squareRoot())
      #expect(abs(a.beyond20 - b.beyond20) < 0.005 && abs(a.beyond45 - b.beyond45) < 0.005)
      for level in TrueView.Level.allCases { #expect(abs(a.levels[level]! - b.levels[level]!) < 0.01) }
    }
  }
}
