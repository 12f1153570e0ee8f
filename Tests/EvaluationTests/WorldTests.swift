import Evaluation
import Foundation
import Geometry
import SensorData
import Testing

/// A trajectory that restarted: errors are computed world by world.
@Suite struct WorldTests {
  private static func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  private static func pose(_ t: Double) -> Pose {
    Pose(rotation: .yaw(0.5 * t), translation: Vector3(2 * cos(0.5 * t), 2 * sin(0.5 * t), 0.1 * t))
  }

  private static let rows = (0..<400).map { k in
    GroundTruthState(timestamp: time(0.05 * Double(k)), worldFromBody: pose(0.05 * Double(k)))
  }
  private static let restart = time(10)
  /// From 10 s on in a world of its own.
  private static let other = Pose(rotation: .yaw(2), translation: Vector3(40, -30, 5))
  private static let estimate = rows.map { row in
    EstimatedPose(
      timestamp: row.timestamp,
      worldFromBody: row.timestamp < restart ? row.worldFromBody : other * row.worldFromBody,
      covariance: PoseCovariance(rotation: 1e-4 * Matrix3.identity, position: 1e-4 * Matrix3.identity))
  }

  @Test func aligningEachWorldLeavesNothing() throws {
    let truth = TruthTrajectory(Self.rows)
    let one = try #require(TrajectoryErrors(Self.estimate, truth: truth))
    #expect(one.ateYawAligned > 1)
    let errors = try #require(TrajectoryErrors(Self.estimate, truth: truth, worlds: [Self.restart]))
    #expect(errors.count == 400)
    #expect(errors.ateYawAligned < 1e-9 && errors.ateSE3 < 1e-9 && errors.attitude < 1e-9)
    #expect(try #require(errors.relativePerSecond) < 1e-9, "no step leads from one world to the other")
    #expect(errors.relativeByLength.allSatisfy { $0.translation < 1e-9 })
    #expect(try #require(errors.positionNEES.mean) < 1e-6)
    let after = try #require(errors.alignment.truthFromEstimate(at: Self.time(12)))
    #expect((after * (Self.other * Vector3(1, 2, 3)) - Vector3(1, 2, 3)).norm < 1e-9)
    let before = try #require(errors.alignment.truthFromEstimate(at: Self.time(2)))
    #expect((before * Vector3(1, 2, 3) - Vector3(1, 2, 3)).norm < 1e-9)
  }

  /// A position of the peer in the second world is judged there.
  @Test func theJudgeAlignsPositionsByTheirWorld() throws {
    let peer = Vector3(5, 1, 0)
    var judge = Judge(
      truth: TruthTrajectory(Self.rows),
      peers: TruthPeers([GroundTruthPeer(timestamp: Self.time(0), peer: "tag", position: peer)]),
      bodyFromDevice: .identity)
    judge.beginWorld(at: Self.restart)
    for pose in Self.estimate { judge.record(pose.timestamp, worldFromBody: pose.worldFromBody) }
    for second in [3.0, 12, 15] {
      judge.record(
        JudgedUpdate(
          timestamp: Self.time(second), worldPosition: second < 10 ? peer : Self.other * peer, status: "converged"),
        peer: "tag")
    }
    let errors = try #require(judge.errors().peers["tag"])
    #expect(errors.converged == 3 && errors.falseConverged == 0)
    #expect(try #require(errors.position).rms < 1e-9)
  }
}
