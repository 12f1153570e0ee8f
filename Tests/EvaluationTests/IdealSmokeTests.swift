import Evaluation
import EvaluationTestSupport
import Foundation
import Geometry
import Simulation
import TestSupport
import Testing

/// A few trials of each law of EvaluationStatistics.
@Suite struct IdealSmokeTests {
  /// Of ten intervals of 90 % six hold the truth but for once in 600 times.
  @Test func intervalsHoldTheTruth() throws {
    var random = SeededRandom(seed: 312)
    let held = try (0..<10).count { _ in
      let trial = RangingTrial(
        .arcAndVertical, seconds: 3, peer: IdealTrialObserver.peer(&random), random: &random)
      let device = Pose(
        rotation: HeldPhone.facingEast, translation: trial.readings[trial.readings.count - 1].device)
      let view = try #require(IdealView(IdealTrialObserver.run(trial), worldFromDevice: device))
      return view.arcContains(TrueView(worldFromDevice: device, peer: trial.peer).horizontalAngle)
    }
    #expect(held >= 6)
  }

  /// Cells half as wide give the same angle.
  @Test func finerCellsAgree() throws {
    var random = SeededRandom(seed: 313)
    let trial = RangingTrial(.arc, seconds: 1, random: &random)
    let device = trial.readings[trial.readings.count - 1].device
    let a = try IdealTrialObserver.view(IdealTrialObserver.run(trial), device)
    let b = try IdealTrialObserver.view(IdealTrialObserver.run(trial, cellsPerSigma: 3), device)
    #expect(abs(Angle.wrapped(a.angle - b.angle)) < 0.01 * b.angleDeviation)
    #expect(abs(a.distance.mean - b.distance.mean) < 0.01 * b.distance.sigma)
  }

  /// Straight sideways motion: one posterior has the 1-sigma of the bound, to a tenth.
  @Test func theObserverReachesTheBoundOnALine() throws {
    var random = SeededRandom(seed: 303)
    let path = IdealTrialObserver.path(seconds: 6) { Vector3(0, 0.3 * sin(2 * .pi * $0 / 2), 0) }
    let expected = try #require(DirectionBound(antennas: path, sigma: 0.06)?.cosine(along: Vector3(0, 1, 0)))
    let observer = IdealTrialObserver.afterWhiteNoise(
      peer: Vector3(20, 0, 0), path: path, sigma: 0.06, random: &random)
    #expect(abs(try IdealTrialObserver.deviation(observer) { $0.normalized.y } / expected - 1) < 0.1)
  }
}
