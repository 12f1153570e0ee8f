import PrecisionFinding
import PrecisionFindingTestSupport
import TestSupport
import Testing

/// A dozen trials of each law of `CoverageTests`.
@Suite struct CoverageSmokeTests {
  /// Five intervals of twelve miss the truth by chance once in 230 times.
  @Test(arguments: CoverageTally.informativeMotions) func intervalsHoldTheTruth(motion: RangingTrial.Motion) {
    for configuration in [CoverageTally.matched, CoverageTally.shipped] {
      let tally = CoverageTally.over(motion, configuration, trials: 12, seed: 121)
      #expect(tally.coveredAtTheEnd >= 8 && tally.angles > 12, "\(tally)")
      #expect(tally.falselyConverged == 0 && tally.lost == 0, "\(tally)")
    }
  }

  @Test func swayNeverResolvesTheSide() {
    let tally = CoverageTally.over(.sway, trials: 12, seed: 122)
    #expect(tally.beyond45 == 0 && tally.converged == 0 && tally.lost == 0, "\(tally)")
  }

  @Test func aStationaryDeviceNeverGetsAnAngle() {
    let tally = CoverageTally.over(.still, trials: 8, seed: 123)
    #expect(tally.angles == 0 && tally.converged == 0 && tally.lost == 0, "\(tally)")
  }

  /// A tenth of the ranges is too long.
  @Test func nlosRangesNeitherMisleadNorLockOut() {
    let tally = CoverageTally.over(.arc, trials: 12, seed: 124, nlosShare: 0.1)
    #expect(tally.angles > 12 && tally.coveredAtTheEnd >= 8 && tally.lost == 0, "\(tally)")
  }
}
