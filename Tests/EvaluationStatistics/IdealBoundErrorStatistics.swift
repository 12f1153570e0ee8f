import Evaluation
import EvaluationTestSupport
import Geometry
import Simulation
import TestSupport
import Testing

/// The ideal observer where errors are bound to the pose, over trials whose truths are drawn from its prior.
@Suite struct IdealBoundErrorStatistics {
  /// Told the law of a field, a pattern and a shadow, its intervals hold what they claim.
  @Test func toldTheLawItIsHonest() throws {
    var (covered, count) = (0, 0)
    for (m, motion) in [RangingTrial.Motion.arc, .arcAndVertical, .lWalk].enumerated() {
      var random = SeededRandom(seed: 320, stream: UInt64(m))
      for _ in 0..<40 {
        let trial = BoundTrial(
          motion, seconds: 3, peer: IdealTrialObserver.peer(&random), excess: BoundTrial.excess, random: &random)
        let pose = try #require(trial.poses.last)
        let device = Pose(rotation: pose.worldFromDevice, translation: pose.antenna)
        let truth = TrueView(worldFromDevice: device, peer: trial.peer).horizontalAngle
        let view = try #require(IdealView(trial.observed(excess: BoundTrial.excess), worldFromDevice: device))
        covered += view.arcContains(truth) ? 1 : 0
        count += 1
      }
    }
    let share = Double(covered) / Double(count)
    print("intervals that hold the truth: \(share)")
    // 120 trials: the 1-sigma of a share of 0.9 is 0.027.
    #expect(abs(share - 0.9) < 0.08)
  }
}
