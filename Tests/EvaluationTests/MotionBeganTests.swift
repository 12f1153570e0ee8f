import Evaluation
import Geometry
import SensorData
import Testing

/// When a device began to move, among stamps that are years apart.
@Suite struct MotionBeganTests {
  private static func row(_ seconds: Double, _ x: Double) -> GroundTruthState {
    GroundTruthState(
      timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: seconds),
      worldFromBody: Pose(rotation: .identity, translation: Vector3(x, 0, 0)))
  }

  private static func began(_ rows: [GroundTruthState], until end: Timestamp) -> Timestamp? {
    AngleCheckpoint.motionBegan(
      after: Timestamp(nanoseconds: 0), until: end, truth: TruthTrajectory(rows), bodyFromDevice: .identity)
  }

  @Test func motionIsFoundOnTheGrid() throws {
    let rows = (0...40).map { Self.row(0.1 * Double($0), max(0, 0.1 * Double($0) - 2)) }
    let time = try #require(Self.began(rows, until: Timestamp(nanoseconds: 4_000_000_000)))
    // 0.05 m are reached 0.05 s after the second second.
    #expect(abs(time.seconds(since: Timestamp(nanoseconds: 2_050_000_000))) < 0.051)
  }

  @Test(.timeLimit(.minutes(1))) func aGapOfYearsIsPassedAtOnce() throws {
    let century = 3.15e9
    let rows = [
      Self.row(0, 0), Self.row(0.5, 0), Self.row(century, 0), Self.row(century + 0.5, 0.2), Self.row(century + 1, 0.4),
    ]
    let time = try #require(Self.began(rows, until: Timestamp(nanoseconds: .max)))
    #expect((0...0.5).contains(time.seconds(since: rows[2].timestamp)))
  }

  @Test(.timeLimit(.minutes(1))) func anUpdateAtTheEndOfTheClockEnds() {
    #expect(Self.began([Self.row(0, 0), Self.row(1, 0)], until: Timestamp(nanoseconds: .max)) == nil)
    let last = GroundTruthState(timestamp: Timestamp(nanoseconds: .max), worldFromBody: .identity)
    #expect(Self.began([Self.row(0, 0), Self.row(1, 0), last], until: Timestamp(nanoseconds: .max)) == nil)
  }
}
