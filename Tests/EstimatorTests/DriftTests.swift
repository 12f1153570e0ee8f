import Estimator
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

/// The accumulated drift between two moments matches the actual drift: the filters of the peers depend on it.
@Suite struct DriftTests {
  /// Squared errors of the displacement over a lag, with free heading at its beginning, in units of the stated drift;
  /// means over moments of several runs.
  struct Ratios {
    /// By the full covariance: NEES over its three degrees of freedom.
    var whole = 0.0
    /// The sums of horizontal squared errors along and across the displacement, over the sums of their stated
    /// variances.
    var along = 0.0, across = 0.0
  }

  /// - Parameter moments: start times of a displacement, seconds.
  static func ratios(
    _ scenario: Scenario, seeds: ClosedRange<UInt64>, lag: Double, fromTruth: Bool,
    moments: ClosedRange<Double> = 0...3600, disturb: (Double, SensorEvent) -> SensorEvent? = { $1 }
  ) throws -> Ratios {
    var whole = 0.0, count = 0.0
    var erred = (along: 0.0, across: 0.0), claimed = (along: 0.0, across: 0.0)
    for seed in seeds {
      let rows = try SimulatedRun(scenario, seed: seed, fromTruth: fromTruth, disturb: disturb).rows.filter {
        $0.error != nil && $0.epoch == 0
      }
      var later = rows.startIndex
      for row in rows {
        while later < rows.endIndex, rows[later].seconds < row.seconds + lag { later += 1 }
        guard later < rows.endIndex, let from = row.error, let to = rows[later].error else { break }
        let yaw = Rotation.yaw((from.estimate.rotation * from.truth.rotation.inverse).twistAboutZ)
        let displacement = to.estimate.translation - from.estimate.translation
        let error = displacement - yaw * (to.truth.translation - from.truth.translation)
        let drift = (rows[later].drift - row.drift).position
        let level = Vector3(displacement.x, displacement.y, 0)
        guard moments.contains(row.seconds), let inverse = drift.inverse, level.norm > 0.3 * lag else { continue }
        let along = level.normalized, across = Vector3(-along.y, along.x, 0)
        whole += inverse.form(error, error) / 3
        erred.along += error.dot(along) * error.dot(along)
        erred.across += error.dot(across) * error.dot(across)
        claimed.along += drift.form(along, along)
        claimed.across += drift.form(across, across)
        count += 1
      }
    }
    return Ratios(whole: whole / count, along: erred.along / claimed.along, across: erred.across / claimed.across)
  }

  /// On average no more than stated, and not much less. Errors within a run are correlated, so six runs scatter.
  @Test(arguments: [0.25, 1], [true, false]) func driftCovarianceIsConsistent(lag: Double, fromTruth: Bool) throws {
    let ratios = try Self.ratios(.named("mc-walk-l"), seeds: 1...6, lag: lag, fromTruth: fromTruth)
    print("drift over \(lag) s, \(fromTruth ? "from the truth" : "own start"): \(ratios) of the stated variance")
    #expect(ratios.whole > 0.4 && ratios.whole < 1.5)
  }

  /// A position remembered from the end of a darkness shifts when features return and correct the trajectory.
  @Test func driftIncludesCorrectionsAfterDarkness() throws {
    let dark = 6.0...8.5
    let ratios = try Self.ratios(
      .named("mc-walk-l"), seeds: 1...12, lag: 0.75, fromTruth: true, moments: 8.2...8.5
    ) { seconds, event in
      guard dark.contains(seconds), case .frame(var frame) = event else { return event }
      frame.features = []
      return .frame(frame)
    }
    print("drift out of the dark: \(ratios) of the stated variance")
    #expect(ratios.whole > 0.1 && ratios.whole < 2)
  }

  /// A camera moving straight ahead knows the direction of its displacement better than the length: each has its own
  /// drift.
  @Test func driftIsAnisotropic() throws {
    let ratios = try Self.ratios(.named("mc-walk"), seeds: 1...6, lag: 0.5, fromTruth: true)
    print("drift along the displacement \(ratios.along), across it \(ratios.across) of the stated variance")
    #expect(ratios.along > 0.3 && ratios.along < 2)
    #expect(ratios.across > 0.3 && ratios.across < 2)
  }
}
