import FuseCommandTestSupport
import TestSupport
import Testing
import Wording

/// What may have been meant by a word that nothing is called by.
@Suite struct SuggestionTests {
  @Test func misspeltKeys() {
    #expect(Spelling.distance("range", "rnage") == 1)
    #expect(Spelling.distance("kitten", "sitting") == 3)
    #expect(Spelling.distance("", "abc") == 3)
    #expect(Spelling.intended("azimut", among: ["azimuth", "elevation"]) == "azimuth")
    #expect(Spelling.intended("Range", among: ["range"]) == "range")
    #expect(Spelling.intended("w", among: ["u", "v"]) == nil)
    #expect(Spelling.intended("channel", among: ["range", "nlos"]) == nil)
  }

  @Test(
    arguments: [
      ("rnu", "run"), ("evla", "eval"), ("inspct", "inspect"), ("sim", "simulate"), ("xyzzy", nil), ("", nil),
      ("RUN", "run"),
    ] as [(String, String?)])
  func theNearestIsNamed(_ word: String, _ expected: String?) {
    #expect(Spelling.nearest(to: word, among: ["run", "eval", "inspect", "simulate"]) == expected)
  }

  @Test(arguments: [
    (["rnu", "x"], 64, "'run'"), (["simulate", "ark", "-o", "x"], 2, "'arc'"),
    (["eval", "--scenario", "demoo"], 2, "'demo'"),
    (["run", "DEMO", "--peer", "tga", "--to", "3", "-o", "x"], 2, "'tag'"),
    (["run", "DEMO", "--ouput", "x"], 64, "'--output'"),
  ])
  func wrongWordsGetOne(_ arguments: [String], _ status: Int, _ meant: String) throws {
    let demo = Repository.root.appendingPathComponent("datasets/demo").path
    let run = try FuseProcess.run(arguments.map { $0 == "DEMO" ? demo : $0 })
    #expect(Int(run.status) == status)
    #expect(run.stderr.lowercased().contains("did you mean \(meant)?"), "\(run.stderr)")
  }
}
