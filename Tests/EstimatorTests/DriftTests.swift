import Estimator
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

/// What a trajectory says that it loses between two moments is what it loses: the hypotheses of peers live on it.
@Suite struct DriftTests {
  /// Squared errors of the way over a lag, heading at its beginning being free, in units of the drift claimed for it, means over moments of
  /// several runs.
  struct Ratios {
    /// By the covariance as a whole: NEES over its three degrees of freedom.
    var whole = 0.0
    /// The sums of squares along the way and across it, level, over the sums of what is claimed there.
    var along = 0.0, across = 0.0
  }

  /// - Parameter moments: at which a way may begin, seconds.
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
        let turn = Rotation.yaw((from.estimate.rotation * from.truth.rotation.inverse).twistAboutZ)
        let way = to.estimate.translation - from.estimate.translation
        let error = way - turn * (to.truth.translation - from.truth.translation)
        let drift = (rows[later].drift - row.drift).position
        let level = Vector3(way.x, way.y, 0)
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

  /// On average no more than is claimed, and not much less. The errors of a run hang together, so that six runs scatter.
  @Test(arguments: [0.25, 1], [true, false]) func claimsWhatItLoses(lag: Double, fromTruth: Bool) throws {
    let ratios = try Self.ratios(.named("mc-walk-l"), seeds: 1...6, lag: lag, fromTruth: fromTruth)
    print("drift over \(lag) s, \(fromTruth ? "from the truth" : "own start"): \(ratios) of what is claimed")
    #expect(ratios.whole > 0.4 && ratios.whole < 1.5)
  }

  /// Whoever remembers a place from the end of a darkness sees the device move when the light shows where it is.
  @Test func whatTheLightTakesBackIsLost() throws {
    let dark = 6.0...8.5
    let ratios = try Self.ratios(
      .named("mc-walk-l"), seeds: 1...12, lag: 0.75, fromTruth: true, moments: 8.2...8.5
    ) { seconds, event in
      guard dark.contains(seconds), case .frame(var frame) = event else { return event }
      frame.features = []
      return .frame(frame)
    }
    print("drift out of the dark: \(ratios) of what is claimed")
    #expect(ratios.whole > 0.1 && ratios.whole < 2)
  }

  /// A camera that walks ahead knows its way's direction better than its length: each is claimed for itself.
  @Test func acrossTheWayLessIsLost() throws {
    let ratios = try Self.ratios(.named("mc-walk"), seeds: 1...6, lag: 0.5, fromTruth: true)
    print("drift along the way \(ratios.along), across it \(ratios.across) of what is claimed")
    #expect(ratios.along > 0.3 && ratios.along < 2)
    #expect(ratios.across > 0.3 && ratios.across < 2)
  }
}
