import Premises
import Testing

/// What evidence against a premise comes to.
@Suite struct PremiseVerdictTests {
  /// A verdict after some tests with this evidence each; nil: a test that says nothing.
  private static func verdict(
    _ evidence: [PremiseEvidence?], against code: String, of peer: String? = nil, isHandled: Bool = false
  ) -> PremiseVerdict {
    var verdict = PremiseVerdict()
    for evidence in evidence {
      verdict.begin()
      if let evidence {
        verdict.add(evidence, against: code, of: peer, isHandled: isHandled, diagnosis(code, peer, isHandled))
      }
      verdict.end()
    }
    return verdict
  }

  private static func diagnosis(_ code: String, _ peer: String?, _ isHandled: Bool = false) -> Diagnosis {
    Diagnosis(code: code, family: .radio, sentence: "s", evidence: "e", remedy: "r", peer: peer, isHandled: isHandled)
  }

  /// A rule's own limits, with as many tests in a row as it asks for.
  @Test(arguments: ["radioClock", "rangeSign", "cameraClock", "accelerometerUnit"])
  func limitsAreThoseOfTheRule(code: String) {
    let rule = PremiseVerdict.rule(of: code)
    func tests(_ ratio: Double, _ count: Int) -> PremiseVerdict {
      Self.verdict(Array(repeating: .logRatio(ratio, support: 9), count: count), against: code, of: "tag")
    }
    #expect(tests(rule.opens - 0.1, 9).openPremise(for: "tag") == nil)
    #expect(tests(rule.opens + 0.1, 2).openPremise(for: "tag") == code)
    #expect((tests(rule.opens + 0.1, 1).openPremise(for: "tag") == code) == rule.opensAtOnce)
    #expect(tests(rule.refutes - 0.1, 9).diagnoses.isEmpty)
    #expect(tests(rule.refutes + 0.1, rule.times - 1).diagnoses.isEmpty)
    #expect(tests(rule.refutes + 0.1, rule.times).diagnoses.map(\.code) == [code])
  }

  /// Evidence that is spread unevenly opens nothing and refutes nothing, whatever its size.
  @Test func evidenceMustBeSpread() {
    func tests(_ support: Double) -> PremiseVerdict {
      Self.verdict(Array(repeating: .logRatio(500, support: support), count: 4), against: "rangeUnit", of: "tag")
    }
    #expect(tests(1.4).openPremise(for: "tag") == nil)
    #expect(tests(2).openPremise(for: "tag") == "rangeUnit" && tests(2).diagnoses.isEmpty)
    #expect(tests(2.7).diagnoses.count == 1)
  }

  /// A test without evidence closes what was open and begins the count again; what was refuted stays so.
  @Test func howItEnds() {
    let strong = PremiseEvidence.logRatio(30, support: 9)
    let closed = Self.verdict([.logRatio(5, support: 9), nil], against: "radioClock", of: "tag")
    #expect(closed.openPremise(for: "tag") == nil)
    #expect(Self.verdict([strong, nil, strong], against: "radioClock", of: "tag").diagnoses.isEmpty)
    let refuted = Self.verdict([strong, strong, nil, nil, strong, strong], against: "radioClock", of: "tag")
    #expect(refuted.refuted(for: "tag").count == 1 && refuted.openPremise(for: "tag") == "radioClock")
    #expect(refuted.refuted(for: "other").isEmpty && refuted.openPremise(for: "other") == nil)
  }

  /// What the filter corrects is named, and nothing is withheld for it.
  @Test func whatIsHandledWithdrawsNothing() {
    let verdict = Self.verdict([.logRatio(30), .logRatio(30)], against: "cameraClock", isHandled: true)
    #expect(verdict.diagnoses.count == 1 && verdict.refuted(for: "tag").isEmpty)
    #expect(verdict.openPremise(for: "tag") == nil)
  }

  /// A link that is not tested keeps what its last test said, as if that had been repeated.
  @Test func linksTakeTurns() {
    var verdict = PremiseVerdict()
    for k in 0..<4 {
      let (tested, other) = k % 2 == 0 ? ("a", "b") : ("b", "a")
      verdict.begin()
      verdict.keep(other)
      if tested == "a" {
        verdict.add(.logRatio(20, support: 9), against: "radioClock", of: "a", Self.diagnosis("radioClock", "a"))
      }
      verdict.end()
      #expect(verdict.openPremise(for: "a") == "radioClock" && verdict.openPremise(for: "b") == nil)
      #expect(verdict.diagnoses.count == (k < 2 ? 0 : 1))
    }
  }

  /// A symptom opens before it refutes, and refutes after three tests in a row.
  @Test func aSymptomTakesThreeTests() {
    func tests(_ count: Int) -> PremiseVerdict {
      Self.verdict(
        [.symptom(isRefuting: false)] + Array(repeating: .symptom(isRefuting: true), count: count),
        against: "visualInertialMismatch")
    }
    #expect(tests(0).openPremise(for: "tag") == "visualInertialMismatch")
    #expect(tests(2).diagnoses.isEmpty && tests(3).diagnoses.count == 1)
  }
}
