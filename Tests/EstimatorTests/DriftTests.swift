import Estimator
import Foundation
import Geometry
import Simulation
import Testing

/// What a trajectory says that it loses between two moments is what it loses: the hypotheses of peers live on it.
@Suite struct DriftTests {
  /// Squared errors of the way over a lag, heading at its beginning being free, in units of the drift claimed for it; the mean over
  /// moments of several runs.
  static func ratio(_ scenario: Scenario, seeds: ClosedRange<UInt64>, lag: Double, fromTruth: Bool) throws -> Double {
    var sum = 0.0, count = 0.0
    for seed in seeds {
      let rows = try SimulatedRun(scenario, seed: seed, fromTruth: fromTruth).rows.filter {
        $0.error != nil && $0.epoch == 0
      }
      var later = rows.startIndex
      for row in rows {
        while later < rows.endIndex, rows[later].seconds < row.seconds + lag { later += 1 }
        guard later < rows.endIndex, let from = row.error, let to = rows[later].error else { break }
        let turn = Rotation.yaw((from.estimate.rotation * from.truth.rotation.inverse).twistAboutZ)
        let way = to.estimate.translation - from.estimate.translation
        let error = way - turn * (to.truth.translation - from.truth.translation)
        let claimed = rows[later].drift.position - row.drift.position
        sum += error.squaredNorm / 3 / claimed
        count += 1
      }
    }
    return sum / count
  }

  /// On average no more than is claimed, and no tenth of it. The errors of a run hang together, so that six runs scatter: 2 and not 1.
  @Test(arguments: [0.25, 1], [true, false]) func claimsWhatItLoses(lag: Double, fromTruth: Bool) throws {
    let ratio = try Self.ratio(.named("mc-walk-l"), seeds: 1...6, lag: lag, fromTruth: fromTruth)
    print("drift over \(lag) s, \(fromTruth ? "from the truth" : "own start"): \(ratio) of what is claimed")
    #expect(ratio > 0.1 && ratio < 2)
  }
}
