import PrecisionFinding
import Simulation
import Testing

@Suite struct VerticalLevelHysteresisTests {
  static var fresh: VerticalLevelHysteresis { VerticalLevelHysteresis(decide: 0.95, drop: 0.90) }

  @Test(arguments: [
    (0.96, 0.01, VerticalDirectionEstimate.above), (0.01, 0.96, .below), (0.02, 0.02, .same),
    (0.48, 0.48, .aboveOrBelow),
    (0.94, 0.02, .aboveOrBelow), (0.5, 0.0, .unknown), (0.3, 0.3, .unknown), (0.0, 0.0, .same),
  ])
  func aFreshStateNamesWhatHasNinetyFivePercent(above: Double, below: Double, expected: VerticalDirectionEstimate) {
    var hysteresis = Self.fresh
    #expect(hysteresis.estimate == .unknown)
    hysteresis.update(above: above, below: below, same: 1 - above - below)
    #expect(hysteresis.estimate == expected)
  }

  @Test func aNamedClassStaysUntilItFallsBelowNinety() {
    var hysteresis = Self.fresh
    hysteresis.update(above: 0.96, below: 0.01, same: 0.03)
    hysteresis.update(above: 0.91, below: 0.01, same: 0.08)
    #expect(hysteresis.estimate == .above)
    hysteresis.update(above: 0.89, below: 0.01, same: 0.10)
    #expect(hysteresis.estimate == .unknown)
    hysteresis.update(above: 0.91, below: 0.01, same: 0.08)
    #expect(hysteresis.estimate == .unknown, "dropped is dropped: back only at 95 %")
  }

  @Test func aSideThatLosesItsSideIsOnlyNotLevel() {
    var hysteresis = Self.fresh
    hysteresis.update(above: 0.97, below: 0.02, same: 0.01)
    hysteresis.update(above: 0.60, below: 0.39, same: 0.01)
    #expect(hysteresis.estimate == .aboveOrBelow)
    hysteresis.update(above: 0.02, below: 0.97, same: 0.01)
    #expect(hysteresis.estimate == .below, "a decided side takes over at once")
    hysteresis.reset()
    #expect(hysteresis.estimate == .unknown)
  }

  /// With modes above and below no side is ever named, whatever the probability of the level.
  @Test func anAmbiguityNeverGetsASide() {
    var random = SeededRandom(seed: 101)
    for _ in 0..<50 {
      var hysteresis = Self.fresh
      for _ in 0..<100 {
        let half = 0.5 * random.uniform()
        hysteresis.update(above: half, below: half, same: 1 - 2 * half)
        #expect(hysteresis.estimate != .above && hysteresis.estimate != .below)
      }
    }
  }
}
