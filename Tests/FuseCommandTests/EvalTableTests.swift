import Testing
import fuse

/// Tables of figures within a width.
@Suite struct EvalTableTests {
  private func lines(subjects: Int, figures: Int, width: Int) -> [String] {
    let names = (0..<subjects).map { "datasets/recording-\($0)" }
    let rows = (0..<figures).map { figure -> EvalTable.Row in
      ("figure \(figure)", (0..<subjects).map { "\(figure).\($0)" })
    }
    return EvalTable.lines(names: names, blocks: [("Finding", rows)], chosen: rows, width: width)
  }

  /// Every figure, where there is room: a row each, with one cell a subject.
  @Test func allFiguresOfAFew() {
    let lines = lines(subjects: 2, figures: 30, width: 80)
    #expect(lines.count == 31)
    #expect(lines[0].split(separator: " ") == ["Finding", "recording-0", "recording-1"])
    #expect(lines[30].split(separator: " ") == ["figure", "29", "29.0", "29.1"])
  }

  /// Many subjects: as many of the chosen figures as fit, and where the others are.
  @Test(arguments: [80, 120, 200]) func manySubjectsFit(_ width: Int) {
    let lines = lines(subjects: 20, figures: 12, width: width)
    #expect(lines.allSatisfy { $0.count <= width })
    #expect(lines.last == EvalTable.note)
    #expect(lines[20].hasPrefix("recording-19") && lines[20].contains("0.19"))
    // One more would not have fitted.
    let columns = lines[0].split(separator: " ").count / 2
    #expect(columns >= 2 && (columns == 12 || (lines.dropLast(2).map(\.count).max() ?? 0) + 12 > width))
  }

  /// One subject has all its figures whatever the width.
  @Test func oneSubjectIsWhole() {
    #expect(lines(subjects: 1, figures: 40, width: 10).count == 41)
  }

  /// Folders of the same name keep their paths.
  @Test func namesStayDistinct() {
    let lines = EvalTable.lines(names: ["a/x", "b/x"], blocks: [("F", [("f", ["1", "2"])])], chosen: [], width: 80)
    #expect(lines[0].split(separator: " ") == ["F", "a/x", "b/x"])
  }
}
