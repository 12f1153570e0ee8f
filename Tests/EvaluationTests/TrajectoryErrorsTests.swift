import Evaluation
import Foundation
import Geometry
import SensorData
import Testing

@Suite struct TrajectoryErrorsTests {
  private static func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: 1_700_000_000_000_000_000).advanced(bySeconds: seconds)
  }

  /// A rising circle, heading along the path.
  private static func pose(_ t: Double) -> Pose {
    Pose(rotation: .yaw(0.5 * t), translation: Vector3(2 * cos(0.5 * t), 2 * sin(0.5 * t), 0.1 * t))
  }

  private static let rows = (0..<200).map { k in
    GroundTruthState(timestamp: time(0.05 * Double(k)), worldFromBody: pose(0.05 * Double(k)))
  }
  private let truth = TruthTrajectory(rows)

  @Test func perfectIsZero() throws {
    let errors = try #require(
      TrajectoryErrors(
        Self.rows.map { EstimatedPose(timestamp: $0.timestamp, worldFromBody: $0.worldFromBody) }, truth: truth))
    #expect(errors.count == 200)
    #expect(errors.ateYawAligned < 1e-12)
    #expect(errors.ateSE3 < 1e-12)
    #expect(errors.attitude < 1e-12)
    #expect(try #require(errors.relativePerSecond) < 1e-12)
    #expect(abs(errors.pathLength - 9.95 * (1.0 + 0.01).squareRoot()) < 0.01)
  }

  @Test func anotherYawAndOriginIsStillZero() throws {
    let other = Pose(rotation: .yaw(2), translation: Vector3(5, -3, 1))
    let errors = try #require(
      TrajectoryErrors(
        Self.rows.map { EstimatedPose(timestamp: $0.timestamp, worldFromBody: other * $0.worldFromBody) }, truth: truth)
    )
    #expect(errors.ateYawAligned < 1e-10)
    #expect(errors.attitude < 1e-10)
    #expect((errors.truthFromEstimate * other.translation).norm < 1e-9)
  }

  /// Yaw alignment does not remove a tilt: the attitude error is the tilt, SE(3) alignment removes it.
  @Test func aTiltShowsInYawAlignmentOnly() throws {
    let tilt = Pose(rotation: .exp(Vector3(0.1, 0, 0)))
    let errors = try #require(
      TrajectoryErrors(
        Self.rows.map { EstimatedPose(timestamp: $0.timestamp, worldFromBody: tilt * $0.worldFromBody) }, truth: truth))
    #expect(errors.ateSE3 < 1e-10)
    #expect(errors.ateYawAligned > 0.05)
    #expect(abs(errors.attitude - 0.1) < 0.01)
  }

  /// Every second pose is 2 cm up, the others 2 cm down: no alignment helps, the RMS is 2 cm.
  @Test func alternatingErrorsAreTheirOwnSize() throws {
    let estimate = Self.rows.enumerated().map { k, row in
      let step = Vector3(0, 0, k.isMultiple(of: 2) ? 0.02 : -0.02)
      return EstimatedPose(
        timestamp: row.timestamp,
        worldFromBody: Pose(rotation: row.worldFromBody.rotation, translation: row.worldFromBody.translation + step))
    }
    let errors = try #require(TrajectoryErrors(estimate, truth: truth))
    #expect(abs(errors.ateYawAligned - 0.02) < 1e-5)
    #expect(abs(errors.ateSE3 - 0.02) < 1e-4)
  }

  @Test func truthIsInterpolatedOnlyBetweenNearRows() throws {
    let sparse = TruthTrajectory([
      GroundTruthState(timestamp: Self.time(0), worldFromBody: Pose(translation: Vector3(0, 0, 0))),
      GroundTruthState(
        timestamp: Self.time(1), worldFromBody: Pose(rotation: .yaw(1), translation: Vector3(2, 0, 0))),
      GroundTruthState(timestamp: Self.time(3), worldFromBody: Pose(translation: Vector3(9, 0, 0))),
    ])
    let middle = try #require(sparse.worldFromBody(at: Self.time(0.25)))
    #expect((middle.translation - Vector3(0.5, 0, 0)).norm < 1e-9)
    #expect((middle.rotation * Rotation.yaw(0.25).inverse).log.norm < 1e-9)
    #expect(sparse.worldFromBody(at: Self.time(2)) == nil)
    #expect(sparse.worldFromBody(at: Self.time(-0.1)) == nil)
    #expect(sparse.worldFromBody(at: Self.time(3.1)) == nil)
    #expect(sparse.worldFromBody(at: Self.time(3))?.translation == Vector3(9, 0, 0))
    #expect(TrajectoryErrors([EstimatedPose(timestamp: Self.time(2), worldFromBody: .identity)], truth: sparse) == nil)
  }
}
