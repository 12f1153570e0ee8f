import Estimator
import Testing
import fuse

/// Whose time is whose, on a clock that is set by hand; and how times are summed up.
@Suite struct StageClockTests {
  private final class Hand { var time = 1000 }

  @Test func timeBelongsToTheInnermostStageAndToTheWhole() {
    let hand = Hand()
    let clock = StageClock(now: { hand.time })
    clock.begin(.frame)
    hand.time += 1
    clock.begin(.visualUpdate)
    hand.time += 10
    clock.begin(.propagation)
    hand.time += 100
    clock.end(.propagation)
    hand.time += 1000
    clock.end(.visualUpdate)
    hand.time += 10_000
    clock.end(.frame)
    hand.time += 5
    clock.measure("writing") { hand.time += 7 }
    #expect(clock.samples == ["frame": [11_111], "visualUpdate": [1010], "propagation": [100], "writing": [7]])
  }

  @Test func samplesStandInTheirOrder() {
    let hand = Hand()
    let clock = StageClock(now: { hand.time })
    for k in [3, 1, 2] { clock.measure("reading") { hand.time += k } }
    #expect(clock.samples["reading"] == [3, 1, 2])
  }

  @Test func theThreadsTimeRunsOnWithWorkOnly() {
    let before = StageClock.threadTime()
    var sum = 0.0
    for k in 0..<1_000_000 { sum += Double(k).squareRoot() }
    #expect(sum > 0 && StageClock.threadTime() > before)
  }

  @Test func percentilesAreNearestRanks() {
    let hundred = Spread(Array((1...100).reversed()), unit: 1)
    #expect(hundred.mean == 50.5 && hundred.p50 == 50 && hundred.p99 == 99 && hundred.worst == 100)
    let two = Spread([4, 2], unit: 2)
    #expect(two.mean == 1.5 && two.p50 == 1 && two.p99 == 2 && two.worst == 2)
    let one = Spread([7], unit: 1)
    #expect(one.mean == 7 && one.p50 == 7 && one.p99 == 7 && one.worst == 7)
  }
}
