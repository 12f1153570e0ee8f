import Evaluation
import Foundation
import Geometry
import LeastSquares
import SensorData
import Simulation
import Testing

@Suite struct NormalizedErrorsTests {
  private static func symmetric(_ random: inout SeededRandom, size: Double) -> (root: Matrix3, covariance: Matrix3) {
    let root = size * Matrix3(columns: random.gaussian3(), random.gaussian3(), random.gaussian3())
    return (root, root * root.transpose)
  }

  /// Poses with errors drawn from their covariance: the mean is 3, 99 % are in the band, for position and attitude.
  @Test func aConsistentEstimateHasMeanThree() throws {
    var random = SeededRandom(seed: 311)
    var rows: [GroundTruthState] = []
    var poses: [EstimatedPose] = []
    for k in 0..<4000 {
      let time = Timestamp(nanoseconds: Int64(k) * 50_000_000)
      let truth = Pose(rotation: random.rotation(), translation: 5 * random.gaussian3())
      rows.append(GroundTruthState(timestamp: time, worldFromBody: truth))
      let (attitudeRoot, attitude) = Self.symmetric(&random, size: 0.01)
      let (positionRoot, position) = Self.symmetric(&random, size: 0.2)
      // R = Exp(theta) R_hat, p = p_hat + dp
      let estimate = Pose(
        rotation: Rotation.exp(-(attitudeRoot * random.gaussian3())) * truth.rotation,
        translation: truth.translation - positionRoot * random.gaussian3())
      poses.append(
        EstimatedPose(
          timestamp: time, worldFromBody: estimate,
          covariance: PoseCovariance(rotation: attitude, position: position)))
    }
    let errors = try #require(TrajectoryErrors(poses, truth: TruthTrajectory(rows), sharesWorld: true))
    for nees in [errors.positionNEES, errors.attitudeNEES] {
      #expect(nees.values.count == 4000)
      #expect(ChiSquared.band99(degreesOfFreedom: 3, count: 4000).contains(try #require(nees.mean)))
      #expect(abs(Double(nees.inBand) / 4000 - 0.99) < 0.006)
    }
  }

  /// Worlds that differ in yaw and origin are aligned at the first pose; a tilt is an error that the covariance must
  /// cover.
  @Test func worldsAreAlignedAtTheFirstPose() throws {
    let rows = (0..<50).map { k in
      GroundTruthState(
        timestamp: Timestamp(nanoseconds: Int64(k) * 50_000_000),
        worldFromBody: Pose(rotation: .yaw(0.02 * Double(k)), translation: Vector3(0.1 * Double(k), 0, 0)))
    }
    let truth = TruthTrajectory(rows)
    let covariance = PoseCovariance(rotation: 1e-4 * Matrix3.identity, position: 1e-2 * Matrix3.identity)
    func errors(_ other: Pose, sharesWorld: Bool = false) throws -> TrajectoryErrors {
      try #require(
        TrajectoryErrors(
          rows.map {
            EstimatedPose(timestamp: $0.timestamp, worldFromBody: other * $0.worldFromBody, covariance: covariance)
          }, truth: truth, sharesWorld: sharesWorld))
    }
    let moved = Pose(rotation: .yaw(2), translation: Vector3(3, 4, 5))
    #expect(try #require(try errors(moved).positionNEES.mean) < 1e-9)
    #expect(try #require(try errors(moved).attitudeNEES.mean) < 1e-9)
    #expect(try #require(try errors(moved, sharesWorld: true).positionNEES.mean) > 1000)
    let tilted = try errors(Pose(rotation: .exp(Vector3(0.02, 0, 0))))
    #expect(abs(try #require(tilted.attitudeNEES.mean) - 4) < 0.01)
  }

  @Test func withoutCovarianceThereIsNone() throws {
    let row = GroundTruthState(timestamp: Timestamp(nanoseconds: 0), worldFromBody: .identity)
    let errors = try #require(
      TrajectoryErrors(
        [EstimatedPose(timestamp: row.timestamp, worldFromBody: .identity)], truth: TruthTrajectory([row])))
    #expect(errors.positionNEES.mean == nil && errors.positionNEES.values.isEmpty)
  }

  /// Means over runs: nearly all in the band for consistent runs, none for runs with half the covariance; only times
  /// that all runs reach count.
  @Test(arguments: [(1.0, 0.97...1.0), (0.5, 0.0...0.01)])
  func meansOverRuns(covariance scale: Double, expected: ClosedRange<Double>) {
    var random = SeededRandom(seed: 331)
    let runs = (0..<40).map { k in
      var errors = NormalizedErrors()
      for moment in 0..<(k == 0 ? 1001 : 1200) {
        errors.add(
          random.gaussian3(), covariance: scale * Matrix3.identity, floor: 0, seconds: 0.5 * Double(moment))
      }
      return errors
    }
    let (inBand, count) = NormalizedErrors.meansInBand(runs + [NormalizedErrors()])
    #expect(count == 1001)
    #expect(expected.contains(Double(inBand) / Double(count)))
    #expect(NormalizedErrors.meansInBand([runs[0]]).count == 0, "one run has no mean over runs")
  }
}
