import PrecisionFinding
import RunResults
import Settings
import Testing
import fuse

/// Settings files: values and faults.
@Suite struct ConfigurationFileTests {
  private func firstFault(_ text: String) -> ConfigurationFile.Fault? {
    do {
      _ = try ConfigurationFile.parse(text, file: "c.yaml")
      return nil
    } catch { return error as? ConfigurationFile.Fault }
  }

  @Test(arguments: ["", "# nothing\n", "\n"]) func emptyMeansDefaults(_ text: String) throws {
    #expect(try ConfigurationFile.parse(text, file: "c.yaml") == FinderConfiguration())
  }

  @Test func valuesAreSetWholeNumbersToo() throws {
    let configuration = try ConfigurationFile.parse("reorderWindow: 1\nupdateInterval: 2.5e-1\n", file: "c.yaml")
    #expect(configuration.reorderWindow == 1)
    #expect(configuration.updateInterval == 0.25)
  }

  @Test(
    arguments: [
      ("updateInterval: 0.1\nnonsense: 1\n", 2), ("updateInterval: fast\n", 1), ("updateInterval: [1]\n", 1),
      ("updateInterval: .nan\n", 1), ("\n\nreorderWindow: -1\n", 3), ("- a\n", 1), ("just text", 1), ("a: [1\nb: {", 2),
    ] as [(String, Int)])
  func faultsHaveTheirLine(_ text: String, _ line: Int) throws {
    let fault = try #require(firstFault(text))
    #expect(fault.file == "c.yaml")
    #expect(fault.line == line, "\(fault)")
    #expect(fault.problem.contains("expected"))
  }

  /// A vertical class with a higher threshold to drop than to decide would toggle: one error, at its line.
  @Test(arguments: [
    ("verticalDecision: 0.9\nverticalDrop: 0.95\n", 2), ("reorderWindow: 1\nverticalDecision: 0.8\n", 2),
    ("verticalDrop: 0.96\n", 1),
  ])
  func aClassIsNotDroppedSoonerThanNamed(_ text: String, _ line: Int) throws {
    let fault = try #require(firstFault(text))
    #expect(fault.line == line && fault.problem.contains("verticalDrop") && fault.problem.contains("verticalDecision"))
    #expect(firstFault("verticalDecision: 0.8\nverticalDrop: 0.8\n") == nil)
  }

  @Test func aKeyTwiceIsAFault() { #expect(firstFault("updateInterval: 1\nupdateInterval: 2\n") != nil) }

  @Test func sectionsAndPairs() throws {
    let configuration = try ConfigurationFile.parse(
      "ranging:\n  biasPrior: 0.5\n  noiseCandidates: [[0.1, 0.2], [1, 0.01]]\n", file: "c.yaml")
    #expect(configuration.ranging.biasPrior == 0.5)
    #expect(configuration.ranging.noiseCandidates == [[0.1, 0.2], [1, 0.01]])
    #expect(firstFault("ranging:\n  biasPriors: 0.5\n")?.line == 2)
    #expect(firstFault("ranging:\n  noiseCandidates: [[0.1]]\n")?.line == 2)
  }

  /// A setting that is added to the finder must be added to the table: the file can set it, `result.json` contains it.
  @Test func theTableKnowsEverySetting() {
    var names: [String] = []
    for child in Mirror(reflecting: FinderConfiguration()).children {
      let label = child.label ?? "?"
      let inner = Mirror(reflecting: child.value)
      if inner.displayStyle == .struct, !(child.value is Double || child.value is Int || child.value is Bool) {
        names += inner.children.map { "\(label).\($0.label ?? "?")" }
      } else {
        names.append(label)
      }
    }
    #expect(names.sorted() == ConfigurationKey.all.map(\.name).sorted())
  }

  /// Every key of the table is in `result.json` with the value in effect.
  @Test func theEffectiveConfigurationIsComplete() {
    guard case .object(let members) = ConfigurationFile.effective(FinderConfiguration()) else {
      Issue.record("not an object")
      return
    }
    #expect(members.map(\.key) == ConfigurationKey.all.map(\.name))
    #expect(Set(members.map(\.key)).count == members.count)
  }
}
