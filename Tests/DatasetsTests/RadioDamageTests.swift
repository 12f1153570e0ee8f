import Datasets
import DatasetsTestSupport
import Foundation
import Testing

/// Radios fail by the row: what is skipped, what counts as bad, and how much of it a file may have.
@Suite struct RadioDamageTests {
  private static let rows = 300

  /// Ranges with `bad` rows in place of healthy ones, from the first on.
  private static func fixture(_ bad: [String]) throws -> Fixture {
    let fixture = try Fixture()
    var rows = Array(Fixture.rangeRows().prefix(Self.rows))
    for (index, row) in bad.enumerated() { rows[index] = row }
    try fixture.write(Fixture.ranges, Fixture.rangeHeader, rows)
    return fixture
  }

  private static func row(_ index: Int, _ range: String) -> String {
    "\(Fixture.time(index)),tag-\(index % 2),\(range)"
  }

  @Test(arguments: [("-1", DamageKind.negativeRange), ("x", .notANumber), ("nan", .notFinite), ("1e9", .outOfRange)])
  func oneBadRowAmongTheFirstIsCounted(_ cell: String, _ kind: DamageKind) throws {
    let reading = try Self.fixture([Self.row(0, cell)]).read()
    #expect(reading.counts(Fixture.ranges) == [kind: 1])
    #expect(reading.ranges.count == Self.rows - 1)
  }

  @Test func upToATenthMayBeBad() throws {
    let tenth = (0..<Self.rows / 10).map { Self.row($0, "-1") }
    #expect(try Self.fixture(tenth).read().counts(Fixture.ranges) == [.negativeRange: 30])
    let error = try #require(throws: DatasetError.self) {
      _ = try Self.fixture(tenth + [Self.row(tenth.count, "-1")]).read()
    }
    #expect(error.found.contains("31 bad rows in 300") && error.expected.contains("one in 10"), "\(error)")
    #expect(error.line == 2)
  }

  @Test func aRangeThatWasNotMeasuredIsNotBad() throws {
    let empty = (0..<Self.rows / 2).map { Self.row($0, " ") }
    for strict in [false, true] {
      let reading = try Self.fixture(empty).read(ReadingOptions(strict: strict))
      #expect(reading.counts(Fixture.ranges) == [.notMeasured: 150])
      #expect(reading.ranges.count == 150)
    }
  }

  @Test func headersCommentsAndDuplicatesAreSkipped() throws {
    var rows: [String] = []
    for row in Fixture.rangeRows().prefix(100) {
      rows += [row, row, Fixture.rangeHeader, "# the logger restarted", " #"]
    }
    let fixture = try Fixture()
    try fixture.write(Fixture.ranges, Fixture.rangeHeader, rows)
    let reading = try fixture.read()
    #expect(reading.counts(Fixture.ranges) == [.duplicate: 100, .repeatedHeader: 100, .comment: 200])
    #expect(reading.ranges.count == 100)
    #expect(throws: DatasetError.self) { _ = try fixture.read(ReadingOptions(strict: true)) }
  }

  /// Elsewhere a comment among the first rows is a fault, as any other.
  @Test func aCommentInTheInertialDataIsAFault() throws {
    let fixture = try Fixture()
    try fixture.edit(Fixture.imu, line: 5) { _ in "# restarted" }
    #expect(throws: DatasetError.self) { _ = try fixture.read() }
  }

  @Test func oneTechnologyBesideAnotherIsNoDuplicate() throws {
    let fixture = try Fixture()
    try fixture.write(
      Fixture.ranges, Fixture.rangeHeader + ",technology []", ["5,a,1,uwb", "5,a,1.1,channelSounding", "5,a,1,uwb"])
    let reading = try fixture.read()
    #expect(reading.ranges.count == 2 && reading.counts(Fixture.ranges) == [.duplicate: 1])
  }

  @Test func aFileWithoutAnyRangeSaysSo() throws {
    let fixture = try Fixture()
    try fixture.write(Fixture.ranges, Fixture.rangeHeader, [Self.row(0, ""), "# nothing"])
    let error = try #require(throws: DatasetError.self) { _ = try fixture.read() }
    #expect(error.found == "2 rows, none of them usable", "\(error)")
  }
}
