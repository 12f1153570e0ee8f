import CameraGeometry
import Estimator
import EstimatorTestSupport
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation
import Testing

/// A single window may give a wrong velocity; two consistent windows seldom do: over many starts.
@Suite struct InitializationConsistencyStatistics {
  /// Squared error of the displacement in the first second of a trajectory, in units of its covariance at the end, over
  /// 3.
  @Test func admittedStatesAreConsistent() throws {
    var all: [Double] = []
    for seed in UInt64(1)...40 {
      let rows = try SimulatedRun(.walkWithOutliers(), seed: seed, fromTruth: false).rows.filter {
        $0.error != nil && $0.epoch == 0
      }
      guard let first = rows.first, let later = rows.first(where: { $0.seconds >= first.seconds + 1 }),
        let from = first.error, let to = later.error
      else { continue }
      let yaw = Rotation.yaw((from.estimate.rotation * from.truth.rotation.inverse).twistAboutZ)
      let error =
        to.estimate.translation - from.estimate.translation
        - yaw * (to.truth.translation - from.truth.translation)
      let drift = (later.drift - first.drift).position
      if let inverse = drift.inverse { all.append(inverse.form(error, error) / 3) }
    }
    all.sort()
    print(
      "of \(all.count) starts: median \(all[all.count / 2]), 90 % \(all[all.count * 9 / 10]),",
      "largest \(all[all.count - 1])"
    )
    // Initialisation from the first window alone exceeds both limits.
    #expect(all.count >= 30 && all[all.count * 9 / 10] < 7 && all[all.count - 1] < 100)
  }
}
