import Dispatch
import Foundation
import FuseCommandTestSupport
import Testing

/// Two processes on loopback: tokens are exchanged, distances agree, directions are mutually consistent.
@Suite(.serialized) struct MeetTests {
  /// Two phones that face each other, 4 m apart, each 1 m to the right of the other's axis: the same from both ends.
  static func scenario(peer: String) -> String {
    """
    name: end
    description: one end of a meeting
    camera: {tracks: 50, pixel_decimals: 1}
    peers:
      - {id: \(peer), ahead_m: 4, right_m: 1, up_m: 0}
    motion:
      - hold: {duration_s: 1.5}
      - arc: {duration_s: 12, arm_m: 0.6, horizontal_deg: 50, horizontal_period_s: 4, vertical_deg: 35, vertical_period_s: 3}
      - hold: {duration_s: 1}
    """
  }

  @Test func bothEndsReportTheSame() throws {
    let scratch = try Scratch()
    let ends = [("anna", "ben"), ("ben", "anna")]
    for (index, (name, peer)) in ends.enumerated() {
      try Self.scenario(peer: peer).write(toFile: scratch.path("\(name).yaml"), atomically: true, encoding: .utf8)
      let made = try FuseProcess.run([
        "simulate", scratch.path("\(name).yaml"), "-o", scratch.path(name), "--seed", "\(5 + index)",
      ])
      try #require(made.status == 0, "\(made.stderr)")
    }
    nonisolated(unsafe) var outcomes = [FuseProcess.Outcome?](repeating: nil, count: 2)
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      let (name, peer) = ends[index]
      let outcome = try? FuseProcess.run(["meet", scratch.path(name), "--name", name, "--peer", peer])
      lock.withLock { outcomes[index] = outcome }
    }
    var angles: [Double] = []
    for (index, (name, peer)) in ends.enumerated() {
      let outcome = try #require(outcomes[index])
      try #require(outcome.status == 0, "\(outcome.stderr)")
      let lines = outcome.stdout.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      #expect(lines.first == ["session", "started"])
      // name: 4.12 m, peer: 4.10 m
      let last = try #require(lines.last)
      try #require(last.count == 6 && last[0] == "\(name):" && last[3] == "\(peer):")
      let (own, other) = (try #require(Double(last[1])), try #require(Double(last[4])))
      #expect(abs(own - other) < 0.3 && abs(own - 17.0.squareRoot()) < 0.4)
      // 14.5 s peer 4.12 m 14° converged: 14 degrees to the right from either end.
      let update = try #require(lines.last { $0.count > 5 && $0[2] == peer })
      angles.append(try #require(Double(update[5].dropLast())))
      #expect(abs(angles[index] - 14) < 10, "\(update)")
    }
    // The phones face each other: in a common frame the two directions are opposite exactly when the angles are equal.
    #expect(abs(angles[0] - angles[1]) < 10)
    // The distance that one end prints is the one that the other received.
    let words = try outcomes.map { try #require($0?.stdout.split(separator: "\n").last).split(separator: " ") }
    #expect(words[0][1] == words[1][4] && words[0][4] == words[1][1])
  }

  @Test func nobodyThereIsOneError() throws {
    let scratch = try Scratch()
    try Self.scenario(peer: "ben").write(toFile: scratch.path("anna.yaml"), atomically: true, encoding: .utf8)
    _ = try FuseProcess.run(["simulate", scratch.path("anna.yaml"), "-o", scratch.path("anna"), "--seed", "1"])
    for (name, peer) in [("aaa", "ben"), ("zzz", "ben"), ("anna", "carl")] {
      let run = try FuseProcess.run(["meet", scratch.path("anna"), "--name", name, "--peer", peer, "--wait", "0.5"])
      #expect(run.status == 2 && run.errorLines.count == 1, "\(run.stderr)")
    }
  }

  @Test(arguments: [
    ["meet"], ["meet", "x", "--name", "a"], ["meet", "x", "--name", "a", "--peer", "a"],
    ["meet", "x", "--name", "a", "--peer", "b", "--wait", "-1"], ["meet", "", "--name", "a", "--peer", "b"],
  ])
  func wrongUsageIs64(_ arguments: [String]) throws { #expect(try FuseProcess.run(arguments).status == 64) }
}
