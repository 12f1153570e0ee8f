import PrecisionFinding
import Simulation
import Testing

@Suite struct VerticalJudgeTests {
  static var fresh: VerticalJudge { VerticalJudge(decide: 0.95, drop: 0.90) }

  @Test(arguments: [
    (0.96, 0.01, VerticalDirectionEstimate.above), (0.01, 0.96, .below), (0.02, 0.02, .same),
    (0.48, 0.48, .aboveOrBelow),
    (0.94, 0.02, .aboveOrBelow), (0.5, 0.0, .unknown), (0.3, 0.3, .unknown), (0.0, 0.0, .same),
  ])
  func aFreshJudgeNamesWhatHasNinetyFivePercent(above: Double, below: Double, expected: VerticalDirectionEstimate) {
    var judge = Self.fresh
    #expect(judge.estimate == .unknown)
    judge.update(above: above, below: below, same: 1 - above - below)
    #expect(judge.estimate == expected)
  }

  @Test func aNamedClassStaysUntilItFallsBelowNinety() {
    var judge = Self.fresh
    judge.update(above: 0.96, below: 0.01, same: 0.03)
    judge.update(above: 0.91, below: 0.01, same: 0.08)
    #expect(judge.estimate == .above)
    judge.update(above: 0.89, below: 0.01, same: 0.10)
    #expect(judge.estimate == .unknown)
    judge.update(above: 0.91, below: 0.01, same: 0.08)
    #expect(judge.estimate == .unknown, "dropped is dropped: back only at 95 %")
  }

  @Test func aSideThatLosesItsSideIsOnlyNotLevel() {
    var judge = Self.fresh
    judge.update(above: 0.97, below: 0.02, same: 0.01)
    judge.update(above: 0.60, below: 0.39, same: 0.01)
    #expect(judge.estimate == .aboveOrBelow)
    judge.update(above: 0.02, below: 0.97, same: 0.01)
    #expect(judge.estimate == .below, "a decided side takes over at once")
    judge.reset()
    #expect(judge.estimate == .unknown)
  }

  /// Under mirror images above and below no side is ever named, whatever the level's share does.
  @Test func aMirrorNeverGetsASide() {
    var random = SeededRandom(seed: 101)
    for _ in 0..<50 {
      var judge = Self.fresh
      for _ in 0..<100 {
        let half = 0.5 * random.uniform()
        judge.update(above: half, below: half, same: 1 - 2 * half)
        #expect(judge.estimate != .above && judge.estimate != .below)
      }
    }
  }
}
