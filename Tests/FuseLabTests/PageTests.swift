import Evaluation
import JSONText
import Testing
import fuse_lab

/// Bounds and pictures of pages.
@Suite struct PageTests {
  /// Without a success the exact bound is 1 - 0.05^(1/n); others are those of tables of Clopper and Pearson.
  @Test(arguments: [(0, 56, 0.05209), (0, 20, 0.13911), (1, 20, 0.21611), (5, 100, 0.10225), (20, 20, 1), (0, 0, 1)])
  func theBoundOfAShare(_ count: Int, _ all: Int, _ expected: Double) {
    #expect(abs(upperBound(count, of: all) - expected) < 1e-4)
  }

  /// A bar is as long as its number, to the end of the axis and no further; what is missing is said.
  @Test func barsAreAsLongAsTheirNumbers() {
    let lines = BarChart("A <title>", [("a", [2.0, nil]), ("b", [7, 30])], series: ["x", "y"], maximum: 10).svg
    func widths(_ colour: String) -> [String] {
      lines.split(separator: "\n").filter { $0.contains(colour) && $0.contains("x=\"250\" y=\"") }.compactMap {
        $0.split(separator: "width=\"").last.map { String($0.prefix { $0 != "\"" }) }
      }.filter { $0 != "10" }
    }
    #expect(widths("#2f6db3") == ["80.0", "280.0"] && widths("#c9772b") == ["400.0"])
    #expect(lines.contains(">none</text>") && lines.contains(">30</text>") && lines.contains("A &lt;title&gt;"))
  }

  /// Trials of both solvers are paired by name; one that had not moved for so long, or has no partner, is left out.
  @Test func solversArePairedByTrial() throws {
    func row(_ name: String, share: Double?, crps: Double?) -> JSONValue {
      ["name": .string(name), "angleShareAt6s": .number(share), "angleCRPSDegreesAt6s": .number(crps)]
    }
    let rows = (0..<12).flatMap { trial -> [JSONValue] in
      let error = Double(trial)
      let finder = row("\(trial)", share: trial == 3 ? nil : 1, crps: error)
      return [finder, row("\(trial), least squares", share: 1, crps: trial == 4 ? nil : error + 2)]
    }
    let pairs = SolverPairs(rows + [row("alone", share: 1, crps: 100)])
    func means(_ side: Int) throws -> SolverPairs.Estimate {
      try #require(
        pairs.estimate(FigureKey.angleCRPSDegreesAt, at: 6) { Figure.mean($0.map { $0[side] }).value })
    }
    let (finder, other) = (try means(0), try means(1))
    #expect(finder.count == 11 && abs(finder.value - 63.0 / 11) < 1e-12 && abs(other.value - 7.9) < 1e-12)
    let ends = try #require(finder.ends)
    #expect(ends.contains(finder.value) && ends.lowerBound > 2 && ends.upperBound < 9)
    #expect(pairs.estimate(FigureKey.angleCRPSDegreesAt, at: 10) { _ in 1 } == nil)
    #expect(SolverPairs(Array(rows.prefix(6))).estimate(FigureKey.angleShareAt, at: 6) { _ in 1 }?.ends == nil)
  }

  /// Without a maximum the axis ends at the next 1, 2, 2.5 or 5 times a power of ten.
  @Test(arguments: [(0.9, "360.0"), (1, "400.0"), (1.5, "300.0"), (2.2, "352.0"), (30, "240.0"), (0, "0.0")])
  func theAxisEndsAtARoundNumber(_ value: Double, _ width: String) {
    #expect(BarChart("", [("", [value])]).svg.contains("width=\"\(width)\" height=\"12\""))
  }
}
