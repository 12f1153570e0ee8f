import Datasets
import Foundation
import FuseCommandTestSupport
import Geometry
import RunResults
import SensorData
import Testing

/// `fuse diff` on runs with chosen differences.
@Suite struct DiffTests {
  /// Two output folders, 20 updates and poses each; `change` edits the second one's updates.
  private func folders(_ change: (inout [UpdateRecord]) -> Void = { _ in }, poseShift: Double = 0) throws -> Scratch {
    let scratch = try Scratch()
    var updates = (0..<20).map { k in
      var record = UpdateRecord(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000), peer: "tag", status: "converged")
      record.distance = 3
      record.horizontalAngle = .init(value: 3.1, standardDeviation: 0.1, low: 2.9, high: 3.3)
      record.verticalDirectionEstimate = "same"
      return record
    }
    try write(updates, poseShift: 0, to: scratch.path("a"))
    change(&updates)
    try write(updates, poseShift: poseShift, to: scratch.path("b"))
    return scratch
  }

  private func write(_ updates: [UpdateRecord], poseShift: Double, to path: String) throws {
    let folder = try OutputFolder(path: path)
    for update in updates { try folder.write(update) }
    for k in 0..<20 {
      let pose = Pose(translation: Vector3(0.1 * Double(k) + poseShift, 0, 0))
      try folder.write(
        Timestamp(nanoseconds: Int64(k) * 100_000_000), worldFromBody: pose, covariance: PoseCovariance())
    }
    try folder.commit(result: [:], timing: [:])
  }

  private func diff(_ scratch: Scratch, _ arguments: [String] = []) throws -> FuseProcess.Outcome {
    try FuseProcess.run(["diff", scratch.path("a"), scratch.path("b")] + arguments)
  }

  @Test func equalRunsAreTheSame() throws {
    let outcome = try diff(try folders())
    #expect(outcome.status == 0 && outcome.stdout == "the same: 20 updates, 20 poses\n")
  }

  /// An angle that crosses pi by 0.1 changed by 0.1, not by 2 pi.
  @Test func theLargestChangeIsFound() throws {
    let scratch = try folders { updates in
      updates[7].distance = 3.25
      updates[9].horizontalAngle = .init(value: -3.083185307179586, standardDeviation: 0.1, low: 2.9, high: 3.3)
    }
    let outcome = try diff(scratch, ["--format", "json"])
    #expect(outcome.status == 1)
    let json = try #require(JSONSerialization.jsonObject(with: Data(outcome.stdout.utf8)) as? [String: Any])
    let tag = try #require((json["changes"] as? [String: Any])?["tag"] as? [String: [String: Any]])
    #expect(Set(tag.keys) == ["distance", "horizontalAngle"])
    #expect(tag["distance"]?["largest"] as? Double == 0.25)
    #expect(tag["distance"]?["largestAt"] as? Int == 700_000_000)
    #expect(abs(try #require(tag["horizontalAngle"]?["largest"] as? Double) - 0.1) < 1e-9)
    #expect((json["first"] as? [String: Any])?["timestamp"] as? Int == 700_000_000)
    #expect(try diff(scratch, ["--distance", "0.3", "--angle", "6"]).status == 0)
    #expect(try diff(scratch, ["--distance", "0.3", "--angle", "5"]).status == 1)
  }

  @Test func changedStatusesAreSpans() throws {
    let scratch = try folders { updates in
      for k in 4...8 {
        updates[k].status = "notConverged"
        updates[k].reasons = ["insufficientMovement"]
        updates[k].horizontalAngle = nil
      }
      updates.removeLast()
    }
    let outcome = try diff(scratch)
    #expect(outcome.status == 1)
    #expect(outcome.stdout.contains("0.40 s to 0.80 s, tag: converged -> notConverged (insufficientMovement)"))
    #expect(
      outcome.stdout.hasPrefix("different: tag converged 20 -> 14 updates, angle in 20 -> 14 updates\n5 of ")
        && outcome.stdout.contains("common updates differ, 1 update only before"))
  }

  /// As HTML a difference is the report of both runs, the worse first, with the same lines.
  @Test func thePageIsTheReportOfBoth() throws {
    let scratch = try folders { updates in
      for k in 4..<updates.count { updates[k].status = "notConverged" }
    }
    let outcome = try diff(scratch, ["--format", "html"])
    #expect(outcome.status == 1 && !outcome.stdout.contains("http:"))
    let begin = try #require(outcome.stdout.range(of: "id=\"data\">")).upperBound
    let end = try #require(outcome.stdout.range(of: "</script>", range: begin..<outcome.stdout.endIndex)).lowerBound
    let model = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.stdout[begin..<end].utf8)) as? [String: Any])
    let runs = try #require(model["runs"] as? [[String: Any]])
    #expect(runs.compactMap { $0["name"] as? String } == ["after: b", "before: a"])
    let lines = try diff(scratch).stdout.split(separator: "\n").map(String.init)
    #expect(model["changes"] as? [String] == lines)
    let equal = try diff(try folders(), ["--format", "html"])
    #expect(equal.status == 0 && equal.stdout.contains("\"changes\":[\"the same: 20 updates, 20 poses\"]"))
  }

  /// A verdict that changed comes first, whatever else did; runs of a version without one say nothing about it.
  @Test func theVerdictComesFirst() throws {
    let scratch = try folders { updates in updates[19].distance = 7 }
    func judge(_ folder: String, _ findings: [RunVerdict.Finding]) throws {
      let run = try RunFolder(path: scratch.path(folder))
      let output = try OutputFolder(path: scratch.path(folder))
      for update in run.updates { try output.write(update) }
      for pose in run.poses {
        try output.write(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: PoseCovariance())
      }
      try output.commit(result: ["verdict": RunVerdict(findings).json], timing: [:])
    }
    try judge("a", [])
    #expect(try diff(scratch).stdout.hasPrefix("different: tag at the end 3.0 m 178° right -> 7.0 m 178° right\n"))
    let broken = RunVerdict.Finding(
      state: .broken, code: "rangeUnit", family: "radio", peer: "tag", sentence: "in feet", remedy: "write metres")
    try judge("b", [broken])
    #expect(try diff(scratch).stdout.hasPrefix("different: healthy -> BROKEN rangeUnit; tag at the end 3.0 m "))
    #expect(try diff(scratch, ["--distance", "9"]).status == 1)
  }

  @Test func posesCountToo() throws {
    let scratch = try folders(poseShift: 0.01)
    let outcome = try diff(scratch)
    #expect(outcome.status == 1 && outcome.stdout.contains("20 of 20 differ, at most 0.0100 m"))
    #expect(try diff(scratch, ["--distance", "0.02"]).status == 0)
  }

  @Test func wrongUseEndsClearly() throws {
    let scratch = try folders()
    #expect(try FuseProcess.run(["diff", scratch.path("a"), "/nowhere"]).status == 2)
    #expect(try FuseProcess.run(["diff", scratch.path("a")]).status == 64)
    #expect(try diff(scratch, ["--angle", "-1"]).status == 64)
  }
}
