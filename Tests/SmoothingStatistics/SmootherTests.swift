import Foundation
import PrecisionFinding
import SmoothingTestSupport
import Testing

@Suite(.serialized) struct SmootherTests {
  /// Better than the filter on every draw, in the geometric mean by a fifth, with a roughly consistent covariance.
  @Test(arguments: ["walk-l", "search"]) func isBetterThanTheForwardRun(scenario: String) throws {
    var ratios: [Double] = [], nees: [Double] = []
    for seed in 1...3 as ClosedRange<UInt64> {
      let trial = try SmoothedTrial.run(scenario, seed: seed)
      #expect(trial.outcome.unsmoothedSegments == 0)
      #expect(trial.outcome.poses.map(\.timestamp) == trial.forwardTimes)
      ratios.append(trial.offline.ateSE3 / trial.forward.ateSE3)
      nees.append(try #require(trial.offline.positionNEES.mean))
    }
    #expect(ratios.allSatisfy { $0 < 1 }, "\(ratios)")
    #expect(pow(ratios.reduce(1, *), 1 / 3.0) < 0.8, "\(ratios)")
    // Three degrees of freedom: 3 is consistent. One short walk is one draw of a drift.
    #expect((0.5...9).contains(nees.reduce(0, +) / 3), "\(nees)")
  }

  @Test func theSameInputGivesTheSameBits() throws {
    let a = try SmoothedTrial.run("arc", seed: 1).outcome, b = try SmoothedTrial.run("arc", seed: 1).outcome
    #expect(a.poses.map(\.worldFromBody) == b.poses.map(\.worldFromBody))
    #expect(a.poses.map(\.covariance) == b.poses.map(\.covariance))
  }
}
