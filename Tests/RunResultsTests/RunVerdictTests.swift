import Datasets
import JSONText
import RunResults
import Testing

/// The order of what was found, and what is said of it.
@Suite struct RunVerdictTests {
  private func finding(
    _ state: RunVerdict.State, _ code: String, family: String = "imu", peer: String? = nil
  ) -> RunVerdict.Finding {
    .init(state: state, code: code, family: family, peer: peer, sentence: "s \(code)", remedy: "r \(code)")
  }

  @Test func theWorstIsTheCause() {
    let verdict = RunVerdict([
      finding(.healthy, "spike"), finding(.broken, "truthClock", family: "truth"),
      finding(.doubtful, "open", peer: "a"),
      finding(.broken, "unit", peer: "b"), finding(.broken, "axes"), finding(.broken, "unit", peer: "c"),
    ])
    #expect(verdict.state == .broken && verdict.cause?.code == "axes" && verdict.words == "set-up broken")
    #expect(verdict.findings.map(\.code) == ["axes", "unit", "unit", "truthClock", "open", "spike"])
    #expect(
      verdict.line
        == "set-up broken: axes: s axes: r axes; 5 more: unit (b, c), truthClock, open (a), spike")
    #expect(verdict.brief == "BROKEN axes")
  }

  /// Another peer's link is no matter of this one; the device is.
  @Test func aPeerHasItsOwn() {
    let verdict = RunVerdict([finding(.broken, "unit", peer: "a"), finding(.doubtful, "clock")])
    #expect(verdict.on("a").state == .broken && verdict.on("b").cause?.code == "clock")
    #expect(RunVerdict([finding(.broken, "unit", peer: "a")]).on("b").state == .healthy)
  }

  @Test func healthyAndHandledAreNoCause() {
    #expect(RunVerdict([]).line == "healthy" && RunVerdict([]).cause == nil)
    let handled = RunVerdict([finding(.healthy, "spike")])
    #expect(handled.state == .healthy && handled.cause == nil && handled.brief == "healthy")
    #expect(handled.line == "healthy, handled: spike: s spike: r spike")
    #expect(RunVerdict([finding(.broken, "truthClock", family: "truth")]).words == "ground truth broken")
  }

  @Test func itIsReadBack() {
    let verdict = RunVerdict([finding(.broken, "unit", peer: "a"), finding(.healthy, "spike")])
    #expect(RunVerdict(verdict.json) == verdict)
    #expect(RunVerdict(RunVerdict([]).json) == RunVerdict([]))
    #expect(RunVerdict(nil) == nil && RunVerdict(JSONValue.null) == nil)
    // A state of a later version is not taken for another.
    #expect(
      RunVerdict(JSONValue(parsing: Array(#"{"findings":[{"state":"odd","code":"a","family":"b"}]}"#.utf8))) == nil)
  }
}
