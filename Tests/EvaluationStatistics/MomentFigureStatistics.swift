import Evaluation
import Geometry
import SensorData
import Testing

/// Product against ideal observer, moment by moment, on a whole search.
@Suite struct MomentFigureStatistics {
  private static let rows = (0...32).map { k in
    GroundTruthState(
      timestamp: time(0.5 * Double(k)), worldFromBody: Pose(translation: Vector3(0.1 * Double(k), 0, 0)))
  }

  private static let peers = [GroundTruthPeer(timestamp: time(0), peer: "tag", position: Vector3(0, 4, 0))]
  private static func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  /// From two seconds after the motion began until twelve after it, published or not.
  @Test func theIdealObserverIsComparedFromTwoToTwelveSeconds() throws {
    let ranges = (0...150).map { k in
      let position = Vector3(0.02 * Double(k), 0, 0)
      return RangeMeasurement(
        timestamp: Self.time(0.1 * Double(k)), peer: "tag", range: (Vector3(0, 4, 0) - position).norm)
    }
    let trial = try #require(
      IdealTrial(
        peer: "tag", ranges: ranges, antennas: [:], truth: TruthTrajectory(Self.rows), peers: TruthPeers(Self.peers),
        bodyFromDevice: .identity))
    let errors = try #require(trial.errors(model: RangeErrorModel(white: 0.05), impaired: []))
    // The motion began at 0.25 s, when it was 5 cm away; ranges come every 0.1 s.
    #expect(errors.moments.first?.timestamp == Self.time(2.3))
    #expect(errors.moments.last?.timestamp == Self.time(12.2))
    #expect(errors.moments.count == 100)
    // A straight line: two reflection images, and no interval is narrow.
    #expect(errors.moments.allSatisfy { $0.halfWidth > Angle.degrees(15) })
  }
}
