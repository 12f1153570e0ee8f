import Estimator
import EstimatorTestSupport
import Simulation
import Testing

/// Tracks of moving points must not bias the filter.
@Suite struct OutlierTests {
  /// Mean over seeds of ATE, metres, and of the positions' NEES; number of rejected tracks.
  static func figures(_ scenario: Scenario, seeds: ClosedRange<UInt64> = 1...4) throws -> (
    ate: Double, nees: Double, rejected: Int
  ) {
    var (ate, nees, rejected) = (0.0, 0.0, 0)
    for seed in seeds {
      let run = try SimulatedRun(scenario, seed: seed)
      ate += run.errors().yawAligned / Double(seeds.count)
      nees += run.errors().nees.position / Double(seeds.count)
      rejected += run.rows.reduce(0) { $0 + $1.report.tracksOutlying }
      #expect(run.restarts == 0)
    }
    return (ate, nees, rejected)
  }

  /// Moving tracks, compared with a clean run with as many inlier tracks. Without outlier rejection the errors were up
  /// to three times those of the clean run and the NEES up to 50.
  @Test(arguments: [(0.1, 90), (0.3, 70), (0.5, 50)])
  func movingTracksAreRejected(fraction: Double, sound: Int) throws {
    let clean = try Self.figures(Scenario.searchWalkSearch { $0.camera!.tracks = sound })
    let slid = try Self.figures(Scenario.searchWalkSearch { $0.camera!.outlierShare = fraction })
    print("outliers \(fraction): ATE \(slid.ate) m, clean \(clean.ate) m; NEES \(slid.nees), clean \(clean.nees)")
    // A mean of four runs of three degrees of freedom is above 8 once in 700.
    // A point that moves along its own arc looks like a nearer point, and a landmark retains that error. The goal is
    // met with a third of outliers, and missed with half; the last lines detect only a regression.
    func meetsGoal() {
      #expect(slid.ate < 1.3 * clean.ate)
      #expect(slid.nees < 8)
    }
    if fraction > 0.3 { withKnownIssue { meetsGoal() } } else { meetsGoal() }
    #expect(slid.ate < 0.05)
    #expect(slid.nees < 40)
  }

  @Test func cleanTracksAreKept() throws {
    let clean = try Self.figures(Scenario.searchWalkSearch())
    print("no outliers: ATE \(clean.ate) m, NEES \(clean.nees), \(clean.rejected) rejected")
    // Four runs of 23 s have about 3000 tracks.
    #expect(clean.rejected < 5)
  }

  /// A person crosses nearby; half of the tracks move along.
  @Test func aCrossingPersonDoesNotBiasTheFilter() throws {
    var scenario = try Scenario.named("crossing")
    let crossed = try Self.figures(scenario)
    scenario.movers = []
    let alone = try Self.figures(scenario)
    print("crossing: ATE \(crossed.ate) m, alone \(alone.ate) m; NEES \(crossed.nees), alone \(alone.nees)")
    #expect(crossed.rejected > alone.rejected + 100)
    #expect(crossed.ate < 1.3 * alone.ate)
    #expect(crossed.nees < 8)
  }
}
