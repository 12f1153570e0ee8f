import Evaluation
import EvaluationTestSupport
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing

/// The ideal observer's input: ranges at their true antenna positions, without impaired ones.
@Suite struct IdealTrialTests {
  private static let start = Timestamp(nanoseconds: 1_000_000_000)

  private static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

  private static func truth(_ motion: RangingTrial.Motion, seconds: Double) -> TruthTrajectory {
    TruthTrajectory(
      (0...Int(20 * seconds)).map { k in
        let t = 0.05 * Double(k)
        return GroundTruthState(
          timestamp: time(t),
          worldFromBody: Pose(rotation: HeldPhone.facingEast, translation: motion.position(at: t)))
      })
  }

  private static func measurements(_ trial: RangingTrial) -> [RangeMeasurement] {
    trial.readings.map { RangeMeasurement(timestamp: time($0.time), peer: "tag", range: $0.range) }
  }

  private static func trial(
    _ ranges: [RangeMeasurement], positions: [Vector3], motion: RangingTrial.Motion = .arcAndVertical,
    peer: String = "tag", antennas: [String: Vector3] = [:]
  ) -> IdealTrial? {
    let rows = positions.enumerated().map { GroundTruthPeer(timestamp: time(Double($0)), peer: "tag", position: $1) }
    return IdealTrial(
      peer: peer, ranges: ranges, antennas: antennas, truth: truth(motion, seconds: 12), peers: TruthPeers(rows),
      bodyFromDevice: .identity)
  }

  private static func drawn(seconds: Double = 12) -> RangingTrial {
    var random = SeededRandom(seed: 400)
    return RangingTrial(.arcAndVertical, seconds: seconds, peer: Vector3(4, 2, 1.5), random: &random)
  }

  @Test func findsTheObservableAngle() throws {
    let drawn = Self.drawn(seconds: 10)
    let errors = try #require(
      Self.trial(Self.measurements(drawn), positions: [drawn.peer])?.errors(model: IdealTrialObserver.model))
    #expect(errors.published.judged == 101)
    #expect(try #require(errors.published.milestones.angle) > 0.5)
    #expect(try #require(errors.published.angle).median < Angle.degrees(8))
    // Nothing moved 5 cm before the first swing; the mean angle exists whether published or not.
    #expect(try #require(errors.published.milestones.motion) > 0)
    #expect(errors.meanErrors.count == AngleCheckpoint.seconds.count && errors.meanError(at: 2) != nil)
    #expect(errors.meanError(at: 12) == nil, "twelve seconds after the motion began there are no ranges")
  }

  @Test func theOrderOfTheRangesDoesNotMatter() throws {
    let drawn = Self.drawn()
    let ranges = Self.measurements(drawn)
    let inOrder = Self.trial(ranges, positions: [drawn.peer])?.errors()
    #expect(inOrder != nil && inOrder == Self.trial(ranges.reversed(), positions: [drawn.peer])?.errors())
  }

  /// A range starts at its antenna: with a lever arm of 30 cm the observer must use its position.
  @Test func antennasCount() throws {
    let arm = Vector3(0.3, 0, 0)
    let (peer, truth) = (Vector3(4, 2, 1.5), Self.truth(.arcAndVertical, seconds: 12))
    let ranges = try (0...120).map { k in
      let pose = try #require(truth.worldFromBody(at: Self.time(0.1 * Double(k))))
      return RangeMeasurement(
        timestamp: Self.time(0.1 * Double(k)), peer: "tag", range: (peer - pose * arm).norm, antenna: "left")
    }
    let exact = RangeErrorModel(white: 0.01, constant: 0.01)
    func median(_ antennas: [String: Vector3]) throws -> Double {
      let trial = try #require(Self.trial(ranges, positions: [peer], antennas: antennas))
      let errors = try #require(trial.errors(model: exact))
      return try #require(errors.published.angle).median
    }
    #expect(try median(["left": arm]) < Angle.degrees(0.5))
    #expect(try median(["left": .zero]) > Angle.degrees(1))
  }

  /// Impaired ranges are left out when named, and corrupt the result otherwise.
  @Test func impairedRangesAreLeftOut() throws {
    let drawn = Self.drawn()
    var ranges = Self.measurements(drawn)
    let impaired = Set(stride(from: 20, to: 60, by: 2).map { ranges[$0].timestamp })
    for k in ranges.indices where impaired.contains(ranges[k].timestamp) { ranges[k].range += 2 }
    let trial = try #require(Self.trial(ranges, positions: [drawn.peer]))
    func median(_ impaired: Set<Timestamp>?) throws -> Double {
      let errors = try #require(trial.errors(model: IdealTrialObserver.model, impaired: impaired))
      return try #require(errors.published.angle).median
    }
    let named = try median(impaired)
    #expect(named < Angle.degrees(8))
    // Classified by their true errors, the same ones are found.
    #expect(abs(try median(nil) - named) < Angle.degrees(2))
    let trusting = try #require(trial.errors(model: IdealTrialObserver.model, impaired: []))
    let lost = try #require(trusting.published.coverage90)
    let covered = try #require(trial.errors(model: IdealTrialObserver.model, impaired: impaired)?.published.coverage90)
    #expect(lost < 0.7 && covered > 0.8)
  }

  @Test func runsForHalfAMinuteOnly() throws {
    var random = SeededRandom(seed: 401)
    let drawn = RangingTrial(.arc, seconds: 40, peer: Vector3(4, 2, 0), random: &random)
    let rows = [GroundTruthPeer(timestamp: Self.start, peer: "tag", position: drawn.peer)]
    let trial = try #require(
      IdealTrial(
        peer: "tag", ranges: Self.measurements(drawn), antennas: [:], truth: Self.truth(.arc, seconds: 40),
        peers: TruthPeers(rows), bodyFromDevice: .identity))
    #expect(trial.errors(model: IdealTrialObserver.model)?.published.judged == 301)
  }

  @Test func withoutInputThereIsNone() {
    let ranges = Self.measurements(Self.drawn(seconds: 2))
    let position = Vector3(4, 2, 1.5)
    #expect(Self.trial([], positions: [position]) == nil, "no ranges")
    #expect(Self.trial(ranges, positions: []) == nil, "no truth")
    #expect(Self.trial(ranges, positions: [position, position + Vector3(1, 0, 0)]) == nil, "it moves")
    #expect(Self.trial(ranges, positions: [position], peer: "other") == nil, "another peer")
    #expect(Self.trial(Array(ranges.prefix(1)), positions: [position])?.errors() == nil, "too few for a model")
  }
}
