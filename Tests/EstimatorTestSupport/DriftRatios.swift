import CameraGeometry
import Estimator
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation

/// Squared errors of the displacement over a lag, with free heading at its beginning, in units of the stated drift;
/// means over moments of several runs.
package struct DriftRatios {
  /// By the full covariance: NEES over its three degrees of freedom.
  package var whole = 0.0
  /// The same of each run.
  package var runs: [Double] = []
  /// The sums of horizontal squared errors along and across the displacement, over the sums of their stated
  /// variances.
  package var along = 0.0, across = 0.0

  /// - Parameter moments: start times of a displacement, seconds.
  package static func over(
    _ scenario: Scenario, seeds: ClosedRange<UInt64>, lag: Double, fromTruth: Bool,
    moments: ClosedRange<Double> = 0...3600, disturb: (Double, SensorEvent) -> SensorEvent? = { $1 }
  ) throws -> DriftRatios {
    var whole = 0.0, count = 0.0
    var runs: [Double] = []
    var erred = (along: 0.0, across: 0.0), claimed = (along: 0.0, across: 0.0)
    for seed in seeds {
      let rows = try SimulatedRun(scenario, seed: seed, fromTruth: fromTruth, disturb: disturb).rows.filter {
        $0.error != nil && $0.epoch == 0
      }
      var later = rows.startIndex
      let before = (whole, count)
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
      runs.append((whole - before.0) / (count - before.1))
    }
    return DriftRatios(
      whole: whole / count, runs: runs, along: erred.along / claimed.along, across: erred.across / claimed.across)
  }
}
