import Datasets
import Evaluation
import Geometry
import Report
import ReportTestSupport
import RunResults
import Testing

/// Found or not, honest or not, on a set-up that holds or not; and the one meaning of ±.
@Suite struct VerdictTests {
  private func verdict(_ change: (inout HandMadeRun) -> Void) throws -> PeerVerdict {
    var run = HandMadeRun()
    run.updates = (0..<40).map { run.update(0.2 * Double($0)) }
    change(&run)
    return try #require(ReportModel.verdicts(try run.input()).first)
  }

  @Test func findingFollowsTheStatusAtTheEnd() throws {
    #expect(try verdict { _ in }.words == "found, honest")
    #expect(try verdict { $0.updates[39].status = "notConverged" }.finding == .lost)
    let never = try verdict { run in for index in run.updates.indices { run.updates[index].status = "notConverged" } }
    #expect(never.finding == .notYet && never.honesty.answer == .honest)
  }

  /// Without ground truth nothing is called honest.
  @Test func honestyNeedsTruth() throws {
    let alone = try verdict { $0.hasTruth = false }
    #expect(alone.honesty.answer == .unknown && alone.words == "found" && alone.causes.isEmpty)
  }

  /// Intervals that miss the truth, and positions many sigma off.
  @Test func overConfidenceIsNamed() throws {
    let narrow = try verdict { run in
      for index in run.updates.indices where index % 5 == 0 {
        run.updates[index].horizontalAngle = .init(value: 0.2, standardDeviation: 0.03, low: 0.15, high: 0.25)
      }
    }
    #expect(
      narrow.honesty.answer == .overConfident
        && narrow.causes == ["80 % of the angle's 90 % intervals hold the truth"])
    #expect(narrow.rank == (1, 0.8))
    let far = try verdict { run in
      run.updates = (0..<40).map { run.update(0.2 * Double($0), error: Vector3(0.4, 0, 0)) }
    }
    // (0.4 m / 0.1 m)^2
    #expect(far.causes == ["position NEES 16.0, expected 3"])
  }

  /// Angles that hold the truth do not make a peer honest whose distances do not.
  @Test func honestyNeedsAngleAndDistance() throws {
    let long = try verdict { run in
      for index in run.updates.indices { run.updates[index].distance! += 0.5 }
    }
    #expect(long.honesty.answer == .overConfident)
    #expect(long.causes == ["0 % of the distance's 90 % intervals hold the truth"])
    let withoutAngle = try verdict { run in
      for index in run.updates.indices { run.updates[index].horizontalAngle = nil }
    }
    #expect(withoutAngle.honesty.answer == .unknown && withoutAngle.words == "found")
  }

  /// A broken set-up is said instead of anything else, and is worse than any other outcome; another peer's link is not.
  @Test func aBrokenSetUpIsTheWorst() throws {
    func finding(_ state: RunVerdict.State, peer: String?) -> RunVerdict.Finding {
      .init(
        state: state, code: "rangeUnit", family: "radio", peer: peer, sentence: "ranges look to be in millimetres",
        remedy: "write ranges in metres")
    }
    func run(_ findings: RunVerdict.Finding...) throws -> PeerVerdict {
      try verdict { $0.result = ["start": 0, "verdict": RunVerdict(findings).json] }
    }
    let broken = try run(finding(.broken, peer: "tag"))
    #expect(broken.words == "set-up broken" && broken.rank == (0, 1))
    #expect(broken.causes == ["rangeUnit: ranges look to be in millimetres: write ranges in metres"])
    #expect(try run(finding(.broken, peer: nil)).words == "set-up broken")
    #expect(try run(finding(.broken, peer: "bag")).words == "found, honest")
    #expect(try run(finding(.doubtful, peer: "tag")).words == "found, doubtful")
    #expect(try run(finding(.healthy, peer: nil)).words == "found, honest")
    var truth = finding(.broken, peer: nil)
    truth.family = "truth"
    #expect(try run(truth).words == "ground truth broken")
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
