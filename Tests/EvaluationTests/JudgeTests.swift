import Evaluation
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

/// A stationary device at the origin (its axes are the world's: ahead is where its -z would be ... it lies flat, so the
/// top edge, +y, is ahead) and a peer at (0, 4, 0): distance 4, angle 0, same level.
@Suite struct JudgeTests {
  private static let rows = (0...10).map { k in
    GroundTruthState(
      timestamp: Timestamp(nanoseconds: Int64(k) * 500_000_000),
      worldFromBody: Pose(translation: Vector3(0.1 * Double(k), 0, 0)))
  }
  private static let peers = [
    GroundTruthPeer(timestamp: Timestamp(nanoseconds: 0), peer: "tag", position: Vector3(0, 4, 0))
  ]

  private func judge(_ updates: [JudgedUpdate], estimateFromTruth: Pose = .identity) -> Judge.Errors {
    var judge = Judge(truth: TruthTrajectory(Self.rows), peers: TruthPeers(Self.peers), bodyFromDevice: .identity)
    for row in Self.rows { judge.record(row.timestamp, worldFromBody: estimateFromTruth * row.worldFromBody) }
    for update in updates { judge.record(update, peer: "tag") }
    return judge.errors()
  }

  private let start = Timestamp(nanoseconds: 0)

  @Test func perfectUpdates() throws {
    // Another world for the estimate: positions are compared after alignment.
    let estimateFromTruth = Pose(rotation: .yaw(1), translation: Vector3(7, 8, 9))
    let update = JudgedUpdate(
      timestamp: start, distance: 4, horizontalAngle: 0, horizontalAngleInterval: -0.1...0.1,
      verticalDirectionEstimate: "same", worldPosition: estimateFromTruth * Vector3(0, 4, 0), status: "converged")
    let result = judge([update, update], estimateFromTruth: estimateFromTruth)
    let errors = try #require(result.peers["tag"])
    #expect(errors.judged == 2)
    #expect(try #require(errors.angle).largest < 1e-12)
    #expect(try #require(errors.distance).largest < 1e-12)
    #expect(try #require(errors.position).largest < 1e-9)
    #expect(errors.coverage90 == 1)
    #expect(errors.falseConvergedFraction == 0)
    #expect(errors.vertical == [.same: ["same": 2]])
  }

  @Test func coverageCountsIntervalsThatPassPi() throws {
    func update(_ interval: ClosedRange<Double>) -> JudgedUpdate {
      JudgedUpdate(timestamp: start, horizontalAngle: interval.lowerBound, horizontalAngleInterval: interval)
    }
    // The truth is 0, equal to 2 pi.
    let result = judge([update(-0.2...0.1), update(0.1...0.3), update(6.2...6.4), update(3.0...3.4)])
    let errors = try #require(result.peers["tag"])
    #expect(errors.angleCoverage.intervals == 4)
    #expect(errors.coverage90 == 0.5)
    #expect(errors.coverage90Tolerant == 0.5)
    #expect(abs(try #require(errors.finalIntervalHalfWidth) - 0.2) < 1e-12)
  }

  /// Of a normal distance 90 % are within 1.645 sigma; one without a sigma is no interval.
  @Test func distancesHaveIntervalsToo() throws {
    func update(_ distance: Double?, _ sigma: Double?) -> JudgedUpdate {
      JudgedUpdate(timestamp: start, distance: distance, distanceStandardDeviation: sigma)
    }
    let result = judge([update(4.16, 0.1), update(3.84, 0.1), update(4.17, 0.1), update(9, nil), update(nil, nil)])
    let errors = try #require(result.peers["tag"])
    #expect(errors.distanceCoverage.intervals == 3 && errors.distanceCoverage.containingTruth == 2)
    #expect(errors.coverage90 == nil)
    #expect(Honesty(errors).faults == ["67 % of the distance's 90 % intervals hold the truth"])
    #expect(abs(try #require(Figures([result])[.distanceCoverage90].value) - 2.0 / 3) < 1e-12)
  }

  @Test func toleranceForgivesOneAndAHalfDegrees() throws {
    func update(_ low: Double, _ high: Double) -> JudgedUpdate {
      JudgedUpdate(
        timestamp: start, horizontalAngle: Angle.degrees(low),
        horizontalAngleInterval: Angle.degrees(low)...Angle.degrees(high))
    }
    let errors = try #require(judge([update(-1, 1), update(1.4, 3), update(-9, -1.6), update(1.6, 5)]).peers["tag"])
    #expect(errors.coverage90 == 0.25)
    #expect(errors.coverage90Tolerant == 0.5)
  }

  @Test func falseConvergence() throws {
    func update(angle: Double, position: Vector3, converged: Bool = true) -> JudgedUpdate {
      JudgedUpdate(
        timestamp: start, horizontalAngle: angle, worldPosition: position,
        status: converged ? "converged" : "notConverged")
    }
    let result = judge([
      update(angle: Angle.degrees(19), position: Vector3(0, 4, 0)),
      update(angle: Angle.degrees(21), position: Vector3(0, 4, 0)),
      update(angle: 0, position: Vector3(0, 4, 1.6)),
      update(angle: 3, position: Vector3(0, -4, 0), converged: false),
    ])
    let errors = try #require(result.peers["tag"])
    #expect(errors.converged == 3)
    #expect(errors.falseConverged == 2)
    // A wrong angle counts whether converged or not.
    #expect(errors.wrongAngles == 2)
    let figures = Figures([result, judge([update(angle: 0, position: Vector3(0, 4, 0))])])
    #expect(figures[.wrongAngles].value == 0.4 && figures[.wrongAngleTrials].value == 0.5)
  }

  @Test func withoutTruthNothingIsEvaluated() throws {
    let late = JudgedUpdate(timestamp: Timestamp(nanoseconds: 60_000_000_000), distance: 1, status: "converged")
    let errors = try #require(judge([late]).peers["tag"])
    #expect(errors.judged == 0)
    #expect(errors.distance == nil)
    #expect(errors.coverage90 == nil)
    #expect(errors.falseConvergedFraction == nil)
  }

  @Test func statisticsOfKnownErrors() throws {
    let statistics = try #require(ErrorStatistics([3, -4, 0, 0, 5, -1]))
    #expect(abs(statistics.rms - (51.0 / 6).squareRoot()) < 1e-12)
    #expect(statistics.median == 1)
    #expect(statistics.largest == 5)
    #expect(statistics.final == 1)
    #expect(ErrorStatistics([]) == nil)
  }

  @Test func aMovingPeerIsInterpolated() {
    let peers = TruthPeers([
      GroundTruthPeer(timestamp: Timestamp(nanoseconds: 0), peer: "a", position: Vector3(0, 0, 0)),
      GroundTruthPeer(timestamp: Timestamp(nanoseconds: 1_000_000_000), peer: "a", position: Vector3(2, 0, 0)),
    ])
    #expect(peers.position(of: "a", at: Timestamp(nanoseconds: 250_000_000)) == Vector3(0.5, 0, 0))
    #expect(peers.position(of: "a", at: Timestamp(nanoseconds: 1_250_000_000)) == nil)
    #expect(peers.position(of: "b", at: Timestamp(nanoseconds: 0)) == nil)
  }

  /// A peer that moves from 2 s to 4 s: detected at the first update that is not converged; its intervals are counted
  /// separately.
  @Test func motionsAreDetectedOrNot() throws {
    let peers = (0...50).map { k -> GroundTruthPeer in
      let time = 0.1 * Double(k)
      return GroundTruthPeer(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000), peer: "tag",
        position: Vector3(min(max(time - 2, 0), 2), 4, 0))
    }
    #expect(TruthPeers(peers).motions(of: "tag").count == 1 && TruthPeers(peers).motions(of: "nobody").isEmpty)
    func errors(detectedAt second: Double) throws -> MovingPeerErrors {
      var judge = Judge(truth: TruthTrajectory(Self.rows), peers: TruthPeers(peers), bodyFromDevice: .identity)
      for k in 0...50 {
        let time = Timestamp(nanoseconds: Int64(k) * 100_000_000)
        judge.record(
          JudgedUpdate(
            timestamp: time, horizontalAngle: 0, horizontalAngleInterval: -0.1...0.1,
            status: 0.1 * Double(k) < second - 1e-9 ? "converged" : "notConverged"), peer: "tag")
      }
      return try #require(judge.errors().peers["tag"]).moving
    }
    let soon = try errors(detectedAt: 2.7)
    #expect(soon.detectionDelays.count == 1 && abs(soon.detectionDelays[0] - 0.7) < 1e-9)
    // The device moves at 0.2 m/s itself: from 2 s to 3 s the peer is within 0.1 rad of straight ahead.
    #expect(soon.judged == 21 && soon.coverage.intervals == 21 && (9...11).contains(soon.coverage.containingTruth))
    #expect(try errors(detectedAt: 4.5).detectionDelays == [.infinity], "not before it was over")
    #expect(try errors(detectedAt: 1).detectionDelays.isEmpty, "nothing was claimed when it began")
  }

  /// Without ground truth few updates are kept: spans, first times and counts are those of all of them.
  @Test func withoutTruthNothingIsLost() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<30 {
      let count = Int.random(in: 0..<60, using: &random)
      let updates = (0..<count).map { k in
        JudgedUpdate(
          timestamp: start.advanced(bySeconds: 0.1 * Double(k)),
          horizontalAngle: random.uniform() < 0.5 ? nil : 0.3,
          status: random.uniform() < 0.8 ? "notConverged" : "converged",
          reasons: random.uniform() < 0.8 ? ["moreMotion"] : [], rangeUse: random.uniform() < 0.7 ? "used" : nil)
      }
      // Truth of another day: every update is kept, none judged.
      let later = Self.rows.map {
        GroundTruthState(timestamp: $0.timestamp.advanced(bySeconds: 1e6), worldFromBody: .identity)
      }
      let both = [TruthTrajectory(later), TruthTrajectory([])].map { truth -> PeerErrors? in
        var judge = Judge(truth: truth, peers: TruthPeers([]), bodyFromDevice: .identity)
        for update in updates { judge.record(update, peer: "tag") }
        return judge.errors().peers["tag"]
      }
      #expect(both[0] == both[1])
      #expect(both[1]?.ranges["used"] ?? 0 == updates.count { $0.rangeUse != nil })
    }
  }
}
