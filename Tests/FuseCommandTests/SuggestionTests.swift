import FuseCommandTestSupport
import RunResults
import TestSupport
import Testing

/// What may have been meant by a word that nothing is called by.
@Suite struct SuggestionTests {
  @Test(
    arguments: [
      ("rnu", "run"), ("evla", "eval"), ("inspct", "inspect"), ("sim", "simulate"), ("xyzzy", nil), ("", nil),
      ("RUN", "run"),
    ] as [(String, String?)])
  func theNearestIsNamed(_ word: String, _ expected: String?) {
    #expect(Suggestion.nearest(to: word, among: ["run", "eval", "inspect", "simulate"]) == expected)
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
