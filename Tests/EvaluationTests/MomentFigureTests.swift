import Evaluation
import Geometry
import SensorData
import Testing

/// Product against ideal observer, moment by moment, on cases counted by hand.
@Suite struct MomentFigureTests {
  private static let rows = (0...32).map { k in
    GroundTruthState(
      timestamp: time(0.5 * Double(k)), worldFromBody: Pose(translation: Vector3(0.1 * Double(k), 0, 0)))
  }

  private static let peers = [GroundTruthPeer(timestamp: time(0), peer: "tag", position: Vector3(0, 4, 0))]
  private static func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  /// Updates at some seconds: an angle with this error and half-width, degrees.
  private static func errors(_ angles: [(seconds: Double, error: Double, halfWidth: Double)]) -> PeerErrors {
    let truth = TruthTrajectory(rows)
    // The first update has no angle.
    let updates =
      [JudgedUpdate(timestamp: time(0))]
      + angles.map { seconds, error, halfWidth in
        let view = TrueView(worldFromDevice: truth.worldFromBody(at: time(seconds))!, peer: peers[0].position)
        let angle = view.horizontalAngle + Angle.degrees(error)
        let half = Angle.degrees(halfWidth)
        return JudgedUpdate(
          timestamp: time(seconds), horizontalAngle: angle, horizontalAngleInterval: (angle - half)...(angle + half))
      }
    return PeerErrors(
      peer: "tag", updates: updates, truth: truth, peers: TruthPeers(peers), bodyFromDevice: .identity,
      alignment: nil)
  }

  private static func moment(_ seconds: Double, error: Double, halfWidth: Double) -> AngleMoment {
    AngleMoment(timestamp: time(seconds), error: Angle.degrees(error), halfWidth: Angle.degrees(halfWidth))
  }

  private static func figures(_ ours: PeerErrors, _ ideal: IdealErrors) -> Figures {
    var errors = Judge(truth: TruthTrajectory(rows), peers: TruthPeers(peers), bodyFromDevice: .identity).errors()
    errors.peers = ["tag": ours]
    errors.ideal = ["tag": ideal]
    return Figures([errors])
  }

  private static let ideal = IdealErrors(
    published: errors([(3, 1, 9)]),
    moments: [
      moment(3, error: 1, halfWidth: 10), moment(4, error: -2, halfWidth: 10), moment(5, error: 3, halfWidth: 10),
      moment(6, error: 9, halfWidth: 20),
    ].map { AngleMoment(timestamp: $0.timestamp, error: abs($0.error), halfWidth: $0.halfWidth) })

  @Test func onlyMomentsWithAnObservableAngleCount() throws {
    let figures = Self.figures(Self.errors([(2.9, 50, 14), (3, 2, 12), (4, -4, 12), (6, 40, 12)]), Self.ideal)
    #expect(figures[.angleAvailability].value == 2.0 / 3)
    #expect(figures[.idealAngleAvailability].value == 1.0 / 3)
    #expect(figures[.angleAvailabilityPublishable].value == 1, "at 3 s both")
    let silent = Self.figures(Self.errors([(4, -4, 12)]), Self.ideal)
    #expect(silent[.angleAvailabilityPublishable].value == 0)
    #expect(abs(try #require(figures[.angleErrorRatio].value) - 2) < 1e-9)
    #expect(abs(try #require(figures[.angleErrorRatio90].value) - 2) < 1e-9)
    #expect(abs(try #require(figures[.halfWidthRatio].value) - 1.2) < 1e-9)
    #expect(figures[.timeTo10DegreesRatio].value == nil, "never narrow, while the ideal observer was")
  }

  @Test func theLastOfTwoUpdatesCounts() throws {
    let figures = Self.figures(Self.errors([(3, 50, 14), (3, 1, 10), (4, 2, 10), (6, 1, 9)]), Self.ideal)
    #expect(abs(try #require(figures[.angleErrorRatio].value) - 1) < 1e-9)
    #expect(abs(try #require(figures[.timeTo10DegreesRatio].value) - 1) < 1e-9, "at 3 s both")
    let slow = Self.figures(Self.errors([(3, 1, 14), (6, 1, 9)]), Self.ideal)
    #expect(abs(try #require(slow[.timeTo10DegreesRatio].value) - 2) < 1e-9, "at 6 s and at 3 s")
  }
}
