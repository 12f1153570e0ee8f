import Evaluation
import Foundation
import Geometry
import SensorData
import Testing

@Suite struct RelativeErrorTests {
  /// A straight walk of 30 m at 1 m/s, ten poses a second, and its estimate.
  private static func errors(_ estimate: (Pose) -> Pose) throws -> TrajectoryErrors {
    let rows = (0...300).map { k in
      GroundTruthState(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000),
        worldFromBody: Pose(translation: Vector3(0.1 * Double(k), 0, 0)))
    }
    let poses = rows.map { EstimatedPose(timestamp: $0.timestamp, worldFromBody: estimate($0.worldFromBody)) }
    return try #require(TrajectoryErrors(poses, truth: TruthTrajectory(rows)))
  }

  /// Pairs near the end of the walk may be up to 10 % short of the length.
  private static func isNearly(_ value: Double, _ whole: Double) -> Bool {
    value <= whole * (1 + 1e-9) && value >= 0.97 * whole
  }

  /// A scale error of 2 % gives errors of 2 % of the path length.
  @Test func aScaleErrorGrowsWithThePath() throws {
    let errors = try Self.errors { Pose(rotation: $0.rotation, translation: 1.02 * $0.translation) }
    #expect(errors.relativeByLength.map(\.length) == [1, 2, 5, 10, 20])
    for error in errors.relativeByLength {
      #expect(Self.isNearly(error.translation, 0.02 * error.length) && error.rotation < 1e-9)
    }
    #expect(abs(try #require(errors.relativePerSecond) - 0.02) < 1e-9)
  }

  /// A rotation error of 1 degree per metre appears as such; the translation error is that of the chord of the arc.
  @Test func aHeadingDriftIsAnErrorOfTheRotation() throws {
    let rate = Angle.degrees(1)
    let errors = try Self.errors { pose in
      let s = pose.translation.x
      return Pose(
        rotation: .yaw(rate * s), translation: Vector3(sin(rate * s) / rate, (1 - cos(rate * s)) / rate, 0))
    }
    for error in errors.relativeByLength {
      #expect(Self.isNearly(error.rotation, rate * error.length))
      let chord = Vector3(sin(rate * error.length) / rate - error.length, (1 - cos(rate * error.length)) / rate, 0)
      #expect(abs(error.translation - chord.norm) < 0.05 * chord.norm)
    }
  }

  /// A rigid transform of the whole estimate changes nothing.
  @Test func alignmentDoesNotMatter() throws {
    let move = Pose(rotation: .exp(Vector3(0.3, -0.4, 1)), translation: Vector3(5, 6, 7))
    let errors = try Self.errors { move * $0 }
    #expect(errors.relativeByLength.allSatisfy { $0.translation < 1e-9 && $0.rotation < 1e-7 })
  }
}
