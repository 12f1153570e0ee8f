import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// `fuse eval --windows`: windows of a recording as separate searches.
@Suite struct EvalWindowsTests {
  private let demo = Repository.root.appendingPathComponent("datasets/demo").path

  private func lines(_ arguments: [String]) throws -> [[String: Any]] {
    let outcome = try FuseProcess.run(["eval", demo, "--no-ideal", "--format", "jsonl", "--quiet"] + arguments)
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return try outcome.stdout.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// Each window is the run from its beginning to its end, and together they are the trials of one row.
  @Test func aWindowIsARunFromItsBeginningToItsEnd() throws {
    let each = try lines(["--windows", "8", "--every", "10", "--each"])
    #expect(each.compactMap { $0["name"] as? String } == ["\(demo) 0.0 s", "\(demo) 10.0 s", "\(demo) 20.0 s"])
    let part = try #require(try lines(["--from", "10", "--to", "18"]).first)
    for key in ["angleErrorDegrees", "coverage90", "distanceError", "pathLength"] {
      #expect(each[1][key] as? Double == part[key] as? Double, "\(key)")
    }
    #expect(part["distanceError"] is Double)
    let together = try #require(try lines(["--windows", "8", "--every", "10"]).first)
    #expect(together["trials"] as? Int == 3 && together["confidence95"] is [String: Any])
  }

  @Test(arguments: [
    (["--windows", "8", "--from", "1"], 64), (["--windows", "0"], 64), (["--every", "1"], 64),
    (["--windows", "1000"], 2),
  ])
  func wrongUseEndsClearly(arguments: [String], status: Int) throws {
    let outcome = try FuseProcess.run(["eval", demo, "--no-ideal"] + arguments)
    #expect(Int(outcome.status) == status)
    #expect(outcome.stderr.lowercased().contains("error"))
  }
}
