import Foundation
import FuseCommandTestSupport
import Testing

/// What the options that concern the trajectory do: `fuse run --offline`, `fuse eval --no-ranges`, `fuse eval
/// --draw-start`.
@Suite struct TrajectoryOptionsTests {
  /// A sweep and a few steps, 8 seconds.
  private static let scenario = """
    name: short
    description: a sweep and a few steps
    peers:
      - {id: tag, ahead_m: 4, right_m: 1.5}
    motion:
      - hold: {duration_s: 1.5}
      - arc: {duration_s: 4, horizontal_deg: 50, horizontal_period_s: 4, vertical_deg: 20, vertical_period_s: 3}
      - walk: {distance_m: 1.5, speed_m_s: 0.8}
    """

  private static func file(_ scratch: Scratch) throws -> String {
    try Data(scenario.utf8).write(to: scratch.url.appendingPathComponent("short.yaml"))
    return scratch.path("short.yaml")
  }

  /// The objects of `fuse eval --format jsonl`, one a line.
  private func judged(_ arguments: [String]) throws -> [[String: Any]] {
    let eval = try FuseProcess.run(["eval", "--no-ideal", "--quiet", "--format", "jsonl"] + arguments)
    #expect(eval.status == 0, "\(eval.stderr)")
    return try eval.stdout.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// The smoother replaces the trajectory and leaves the updates.
  @Test func offlineChangesTheTrajectoryAlone() throws {
    let scratch = try Scratch()
    let made = try FuseProcess.run(["simulate", try Self.file(scratch), "-o", scratch.path("rec"), "--seed", "3"])
    #expect(made.status == 0, "\(made.stderr)")
    for (name, options) in [("forward", []), ("offline", ["--offline"]), ("again", ["--offline"])] {
      let run = try FuseProcess.run(["run", scratch.path("rec"), "-o", scratch.path(name), "--quiet"] + options)
      #expect(run.status == 0, "\(run.stderr)")
    }
    #expect(try scratch.bytes("forward/updates.jsonl") == scratch.bytes("offline/updates.jsonl"))
    #expect(try scratch.bytes("offline/trajectory.tum") == scratch.bytes("again/trajectory.tum"))
    func error(_ name: String) throws -> Double {
      let result = try JSONDecoder().decode(RunResult.self, from: scratch.bytes("\(name)/result.json"))
      return try #require(result.errors?.trajectory?.ateYawAligned)
    }
    let (forward, offline) = (try error("forward"), try error("offline"))
    // It uses the whole recording: the trajectory must be better.
    #expect(offline < forward, "\(offline) m, forward \(forward) m")
  }

  /// Without ranges there are no updates of a peer, and the trajectory is independent of ranges.
  @Test func noRangesLeavesTheTrajectory() throws {
    let scratch = try Scratch()
    let arguments = ["--scenario", try Self.file(scratch), "--seeds", "2"]
    let with = try #require(judged(arguments).first), without = try #require(judged(arguments + ["--no-ranges"]).first)
    #expect(with["angleErrorDegrees"] is Double && with["firstAngle"] is Double)
    for key in ["angleErrorDegrees", "firstAngle", "distanceError", "coverage90"] {
      #expect(!(without[key] is Double), "\(key): \(without[key] ?? "-")")
    }
    let error = try #require(without["ateYawAligned"] as? Double)
    #expect(error > 0 && error < 0.1)
    // As though there were no peer at all.
    let alone = Self.scenario.replacingOccurrences(
      of: "peers:\n  - {id: tag, ahead_m: 4, right_m: 1.5}", with: "peers: []")
    try Data(alone.utf8).write(to: scratch.url.appendingPathComponent("alone.yaml"))
    let nobody = try #require(judged(["--scenario", scratch.path("alone.yaml"), "--seeds", "2"]).first)
    #expect(nobody["ateYawAligned"] as? Double == error)
  }

  /// Every seed starts with its own drawn error, the same in every run, of the size of the covariance.
  @Test func drawnStartsErrAsExpected() throws {
    let scratch = try Scratch()
    let arguments = ["--scenario", try Self.file(scratch), "--no-ranges", "--seeds", "12"]
    let drawn = try #require(judged(arguments + ["--draw-start"]).first)
    let again = try #require(judged(arguments + ["--draw-start"]).first)
    let exact = try #require(judged(arguments + ["--initialize", "groundtruth"]).first)
    #expect(NSDictionary(dictionary: drawn) == NSDictionary(dictionary: again))
    // Started at the truth itself the filter expects an error that is not there.
    let (position, attitude) = (
      try #require(drawn["neesPosition"] as? Double), try #require(drawn["neesAttitude"] as? Double)
    )
    #expect(try attitude > 1.2 * #require(exact["neesAttitude"] as? Double))
    // Twelve runs of three components: the mean is outside this in one case in a thousand at any one time.
    #expect(position > 1.3 && position < 5.7 && attitude > 1.3 && attitude < 5.7)
  }

  @Test func aDrawBelongsToAScenario() throws {
    let run = try FuseProcess.run(["eval", "somewhere", "--draw-start"])
    #expect(run.status == 64)
    #expect(run.stderr.contains("--draw-start needs a --scenario"))
  }
}
