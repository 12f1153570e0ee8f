import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// `fuse eval --radio`: other ranges along the true path of a recording.
@Suite struct EvalRadioTests {
  private let arc = Repository.root.appendingPathComponent("datasets/arc").path

  private func lines(_ arguments: [String]) throws -> [[String: Any]] {
    let outcome = try FuseProcess.run(["eval", arc, "--no-ideal", "--format", "jsonl", "--quiet"] + arguments)
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return try outcome.stdout.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// Every seed has its own peer; the sensors, and so the trajectory without ranges, are those of the recording.
  @Test func aRecordingIsAsManySearchesAsThereAreSeeds() throws {
    let each = try lines(["--radio", "mc-arc-vertical", "--seeds", "3", "--each"])
    #expect(each.compactMap { $0["name"] as? String } == ["\(arc) 1", "\(arc) 2", "\(arc) 3"])
    let errors = each.compactMap { $0["distanceError"] as? Double }
    #expect(errors.count == 3 && Set(errors).count == 3)
    // The errors of the scenario's radio are about 0.1 m.
    #expect(errors.allSatisfy { $0 > 0.001 && $0 < 0.5 })
    let paths = each.compactMap { $0["pathLength"] as? Double }
    #expect(Set(paths).count == 1 && paths.count == 3)

    let together = try lines(["--radio", "mc-arc-vertical", "--seeds", "3"])
    #expect(together.count == 1 && together[0]["trials"] as? Int == 3)
    let again = try lines(["--radio", "mc-arc-vertical", "--seeds", "3", "--jobs", "2"])
    #expect((together[0] as NSDictionary).isEqual(to: again[0]))
  }

  /// Windows have their own draws, and the ideal observer gets the scenario's error model.
  @Test func windowsAndTheIdealObserverGoWithIt() throws {
    let windows = try lines([
      "--radio", "mc-arc", "--seeds", "1", "--windows", "5", "--every", "5", "--each", "--ideal",
    ])
    #expect(windows.count >= 2)
    #expect(Set(windows.compactMap { $0["distanceError"] as? Double }).count == windows.count)
    #expect(windows.contains { $0["idealCoverage90"] is Double })
  }

  @Test(arguments: [
    (["--scenario", "arc", "--radio", "mc-arc"], 64, "needs a recording"),
    (["ARC", "--radio", "no-such-scenario"], 2, "no-such-scenario"),
    (["ARC", "--radio", "mc-arc", "--from", "8", "--to", "8.2"], 2, "less than a second of true path"),
  ])
  func wrongUseEndsClearly(arguments: [String], status: Int, words: String) throws {
    let outcome = try FuseProcess.run(["eval", "--no-ideal"] + arguments.map { $0 == "ARC" ? arc : $0 })
    #expect(Int(outcome.status) == status)
    #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
  }
}
