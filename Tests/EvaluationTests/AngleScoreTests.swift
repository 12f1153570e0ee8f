import Evaluation
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

/// The scores through the judge: a device that moves along x from the origin, ahead is +y, a peer far away on +y.
@Suite struct AngleScoreTests {
  private static let rows = (0...400).map { k in
    GroundTruthState(
      timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000),
      worldFromBody: Pose(translation: Vector3(k < 10 ? 0 : 0.06, 0, 0)))
  }
  private static let peers = [
    GroundTruthPeer(timestamp: Timestamp(nanoseconds: 0), peer: "tag", position: Vector3(0.06, 1e6, 0))
  ]

  private static func judge(_ updates: [JudgedUpdate]) -> Judge {
    var judge = Judge(truth: TruthTrajectory(rows), peers: TruthPeers(peers), bodyFromDevice: .identity)
    for update in updates { judge.record(update, peer: "tag") }
    return judge
  }

  private static func updates(_ angle: Double?, halfWidth: Double?) -> [JudgedUpdate] {
    rows.map { row in
      JudgedUpdate(
        timestamp: row.timestamp, horizontalAngle: angle,
        horizontalAngleInterval: angle.flatMap { a in halfWidth.map { (a - $0)...(a + $0) } })
    }
  }

  private static func score(_ angle: Double?, halfWidth: Double?) throws -> AngleScore {
    let errors = try #require(judge(updates(angle, halfWidth: halfWidth)).errors().peers["tag"])
    return try #require(errors.checkpoint(at: 10)?.score)
  }

  /// By samples: `E d(A, a) - E d(A, A') / 2` with the distance on the circle.
  private static func sampled(_ error: Double, sigma: Double) -> Double {
    var random = SeededRandom(seed: 7)
    let draws = (0..<40_000).map { _ in error + sigma * random.gaussian() }
    let away = draws.reduce(0) { $0 + abs(Angle.wrapped($1)) } / Double(draws.count)
    let apart = zip(draws, draws.dropFirst()).reduce(0) { $0 + abs(Angle.wrapped($1.0 - $1.1)) }
    return away - apart / Double(draws.count - 1) / 2
  }

  @Test(arguments: [(0.0, 0.2), (0.5, 0.2), (3.1, 0.5), (1, 1.5), (0.01, 0.003), (0.2, 0.05)])
  func theScoreOfAWrappedNormal(_ error: Double, _ sigma: Double) throws {
    let score = try Self.score(error, halfWidth: 1.6448536 * sigma)
    #expect(abs(score.crps - Self.sampled(error, sigma: sigma)) < 0.02 * max(sigma, error), "\(score)")
  }

  @Test func bothFormulasMeet() throws {
    for error in [0, 0.001, 0.004, 0.1, 2.0] {
      let wide = try Self.score(error, halfWidth: 1.6448536 * 0.0020001)
      let narrow = try Self.score(error, halfWidth: 1.6448536 * 0.0019999)
      #expect(abs(wide.crps - narrow.crps) < 1e-6, "\(error): \(wide) \(narrow)")
    }
  }

  @Test func silenceCostsThePrior() throws {
    let silent = try Self.score(nil, halfWidth: nil)
    #expect(abs(Angle.inDegrees(silent.crps) - 45) < 1e-9)
    #expect(abs(Angle.inDegrees(silent.interval) - 342) < 1e-9)
    // What says as little costs as much, wherever the truth is.
    for angle in [0, 1, 3.0] { #expect(abs(try Self.score(angle, halfWidth: 20).crps - silent.crps) < 0.01) }
  }

  @Test func intervalScoresByHand() throws {
    #expect(abs(try Self.score(0.05, halfWidth: 0.1).interval - 0.2) < 1e-5)
    #expect(abs(try Self.score(0.15, halfWidth: 0.1).interval - (0.2 + 20 * 0.05)) < 1e-4)
    let point = try Self.score(-0.3, halfWidth: nil)
    #expect(abs(point.interval - 20 * 0.3) < 1e-4)
    #expect(abs(point.crps - 0.3) < 1e-5)
  }

  /// Proper: of all widths the true one costs least in the mean, by both scores.
  @Test func honestWidthsAreCheapest() throws {
    var random = SeededRandom(seed: 11)
    let errors = (0..<150).map { _ in 0.2 * random.gaussian() }
    func mean(_ sigma: Double) throws -> (crps: Double, interval: Double) {
      let scores = try errors.map { try Self.score($0, halfWidth: 1.6448536 * sigma) }
      let count = Double(scores.count)
      return (scores.reduce(0) { $0 + $1.crps } / count, scores.reduce(0) { $0 + $1.interval } / count)
    }
    let (narrow, honest, wide) = (try mean(0.06), try mean(0.2), try mean(0.7))
    #expect(honest.crps < narrow.crps && honest.crps < wide.crps)
    #expect(honest.interval < narrow.interval && honest.interval < wide.interval)
  }

  /// A solver that speaks late, or not at all, is judged at the finder's moments.
  @Test func othersAreJudgedByTheSameMoments() throws {
    let judge = Self.judge(Self.updates(0.1, halfWidth: 0.2))
    let late = Self.updates(0, halfWidth: 0.1).filter { $0.timestamp.nanoseconds > 15_000_000_000 }
    let theirs = try #require(judge.beside(["tag": late, "unheard": late]).errors().peers["tag"])
    #expect(try #require(theirs.checkpoint(at: 10)).score == AngleScoreTests.score(nil, halfWidth: nil))
    #expect(try #require(theirs.checkpoint(at: 20)).error! < 1e-6)
    let own = try #require(judge.errors().peers["tag"])
    #expect(theirs.milestones.motion == own.milestones.motion && theirs.checkpoints.count == own.checkpoints.count)
    let silent = judge.beside([:]).errors()
    #expect(silent.peers["tag"]?.checkpoints.count == own.checkpoints.count)
    let figures = Figures([silent])
    #expect(abs(try #require(figures[.angleCRPSDegreesAt(seconds: 28)].value) - 45) < 1e-9)
    #expect(figures[.angleShareAt(seconds: 28)].value == 0)
    #expect(figures[.coverage90At(seconds: 28)].value == nil)
  }
}
