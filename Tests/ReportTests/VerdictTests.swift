import Evaluation
import Geometry
import Report
import ReportTestSupport
import Testing

/// Found or not, honest or not; and the one meaning of ±.
@Suite struct VerdictTests {
  private func verdict(_ change: (inout HandMadeRun) -> Void) throws -> Verdict {
    var run = HandMadeRun()
    run.updates = (0..<40).map { run.update(0.2 * Double($0)) }
    change(&run)
    return try #require(ReportModel.verdicts(try run.input()).first)
  }

  @Test func findingFollowsTheStatusAtTheEnd() throws {
    #expect(try verdict { _ in }.words == "found, honest")
    #expect(try verdict { $0.updates[39].status = "notConverged" }.finding == .lost)
    let never = try verdict { run in for index in run.updates.indices { run.updates[index].status = "notConverged" } }
    #expect(never.finding == .notYet && never.honesty == .honest)
  }

  /// Without ground truth nothing is called honest.
  @Test func honestyNeedsTruth() throws {
    let alone = try verdict { $0.hasTruth = false }
    #expect(alone.honesty == .unknown && alone.words == "found" && alone.faults.isEmpty)
  }

  /// Intervals that miss the truth, and positions many sigma off.
  @Test func overConfidenceIsNamed() throws {
    let narrow = try verdict { run in
      for index in run.updates.indices where index % 5 == 0 {
        run.updates[index].horizontalAngle = .init(value: 0.2, standardDeviation: 0.03, low: 0.15, high: 0.25)
      }
    }
    #expect(narrow.honesty == .overConfident && narrow.faults == ["80 % of 90 % intervals hold the truth"])
    #expect(narrow.rank == 0)
    let far = try verdict { run in
      run.updates = (0..<40).map { run.update(0.2 * Double($0), error: Vector3(0.4, 0, 0)) }
    }
    // (0.4 m / 0.1 m)^2
    #expect(far.faults == ["position NEES 16.0, expected 3"])
  }

  /// The radius that holds 90 %: exact values are 2.5003 for equal axes and 1.6449 for one axis.
  @Test func theRadiusHolds90Percent() {
    #expect(abs(NinetyPercent.radius(.identity) - 2.5003) < 0.02)
    #expect(abs(NinetyPercent.radius(4 * .identity) - 2 * 2.5003) < 0.04)
    #expect(abs(NinetyPercent.radius(Matrix3(diagonal: Vector3(1, 0, 0))) - 1.6449) < 0.03)
    #expect(NinetyPercent.radius(Matrix3(diagonal: .zero)) == 0)
    #expect(abs(NinetyPercent.halfWidth(2) - 3.2897) < 1e-4)
  }
}
