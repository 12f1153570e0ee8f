import Datasets
import DatasetsTestSupport
import Testing

/// One bad row late in a long file: skipped, counted, and nothing else changes.
struct CountedCase: Sendable, CustomTestStringConvertible {
  var kind: DamageKind
  var file: String
  var damage: @Sendable (Fixture) throws -> Void
  var testDescription: String { "\(kind) in \(file)" }

  static let all = [
    CountedCase(kind: .notANumber, file: Fixture.imu, damage: FatalCase.cell(Fixture.imu, line: 900, 3, "abc")),
    CountedCase(kind: .notFinite, file: Fixture.imu, damage: FatalCase.cell(Fixture.imu, line: 900, 3, "NaN")),
    CountedCase(kind: .emptyCell, file: Fixture.imu, damage: FatalCase.cell(Fixture.imu, line: 900, 3, "")),
    CountedCase(kind: .outOfRange, file: Fixture.imu, damage: FatalCase.cell(Fixture.imu, line: 900, 3, "1e9")),
    CountedCase(kind: .timeGoingBack, file: Fixture.imu, damage: FatalCase.cell(Fixture.imu, line: 900, 0, "17")),
    CountedCase(
      kind: .futureStamp, file: Fixture.imu,
      damage: FatalCase.cell(Fixture.imu, line: 900, 0, "\(Fixture.time(900) + 60_000_000_000)")),
    CountedCase(
      kind: .futureStamp, file: Fixture.features,
      damage: FatalCase.cell(Fixture.features, line: 905, 0, "\(Fixture.time(900) + 60_000_000_000)")),
    CountedCase(
      kind: .futureStamp, file: Fixture.ranges,
      damage: FatalCase.cell(Fixture.ranges, line: 900, 0, "\(Int64.max / 2)")),
    CountedCase(
      kind: .duplicate, file: Fixture.imu, damage: FatalCase.cell(Fixture.imu, line: 900, 0, "\(Fixture.time(897))")),
    CountedCase(kind: .cellCount, file: Fixture.imu) { try $0.edit(Fixture.imu, line: 900) { $0 + ",7" } },
    CountedCase(kind: .truncatedLastRow, file: Fixture.imu) {
      try $0.write(Fixture.imu, String($0.text(Fixture.imu).dropLast(14)))
    },
    CountedCase(kind: .notANumber, file: Fixture.features, damage: FatalCase.cell(Fixture.features, line: 905, 2, "?")),
    CountedCase(kind: .duplicate, file: Fixture.features) {
      try $0.edit(Fixture.features, line: 905) { _ in
        Fixture.featureRows()[902]  // the row before, again
      }
    },
    CountedCase(kind: .negativeRange, file: Fixture.ranges, damage: FatalCase.cell(Fixture.ranges, line: 900, 2, "-3")),
    CountedCase(kind: .duplicate, file: Fixture.ranges) {
      try $0.edit(Fixture.ranges, line: 900) { _ in Fixture.rangeRows()[897] }
    },
  ]
}

@Suite struct CountedDamageTests {
  @Test(arguments: CountedCase.all)
  func oneBadRowIsSkippedAndCounted(damaged: CountedCase) throws {
    let fixture = try Fixture()
    let whole = try fixture.read()
    try damaged.damage(fixture)
    let reading = try fixture.read()
    #expect(reading.counts(damaged.file) == [damaged.kind: 1])
    #expect(reading.damage.map(\.total).reduce(0, +) == 1)
    func rows(_ r: Reading) -> Int { r.imu.count + r.ranges.count + r.frames.map(\.features.count).reduce(0, +) }
    #expect(rows(reading) == rows(whole) - 1)
    #expect(throws: DatasetError.self) { _ = try fixture.read(ReadingOptions(strict: true)) }
  }

  /// A stamp far ahead is an outlier wherever the buffer of the reader ends, and behind a gap the file goes on.
  @Test func stampsInTheFuture() throws {
    let fixture = try Fixture()
    let whole = try fixture.read()
    let lines = try fixture.text(Fixture.imu).split(separator: "\n").map(String.init)
    var long = [lines[0]]
    // 1.2 MB: the buffer is read five times.
    for k in 0..<16_000 {
      let cells = lines[1 + k % (lines.count - 1)].drop { $0 != "," }
      long.append("\(Fixture.time(0) + Int64(k) * 5_000_000)" + cells)
    }
    for k in stride(from: 1009, to: 15_990, by: 1009) {
      long[1 + k] = "\(Fixture.time(0) + Int64(k) * 5_000_000 + 60_000_000_000)" + long[1 + k].drop { $0 != "," }
    }
    try fixture.write(Fixture.imu, long.joined(separator: "\n") + "\n")
    let reading = try fixture.read()
    #expect(reading.counts(Fixture.imu) == [.futureStamp: 15] && reading.imu.count == 16_000 - 15)
    for rest in [1, 3, 4, 1000] {
      let split = lines.count - rest
      let moved = lines[split...].map { line in
        let cells = line.split(separator: ",")
        return (["\(Int64(cells[0])! + 3_600_000_000_000)"] + cells.dropFirst().map(String.init)).joined(separator: ",")
      }
      try fixture.write(Fixture.imu, (lines[..<split] + moved).joined(separator: "\n") + "\n")
      let gap = try fixture.read()
      #expect(gap.counts(Fixture.imu).isEmpty && gap.imu.count == whole.imu.count, "\(rest)")
    }
  }

  @Test func twoBadRowsInTwoThousandAreAllowedAndThreeAreNot() throws {
    let fixture = try Fixture()
    try FatalCase.cell(Fixture.imu, line: 700, 1, "x")(fixture)
    try FatalCase.cell(Fixture.imu, line: 701, 1, "inf")(fixture)
    #expect(try fixture.read().counts(Fixture.imu) == [.notANumber: 1, .notFinite: 1])
    try FatalCase.cell(Fixture.imu, line: 702, 1, "x")(fixture)
    #expect(throws: DatasetError.self) { _ = try fixture.read() }
  }

  /// Drivers repeat rows, from the first one on and as often as they like: nothing is lost with them.
  @Test func repeatedRowsAreNotBad() throws {
    for (file, step) in [(Fixture.imu, 3), (Fixture.features, 5)] {
      let fixture = try Fixture()
      let whole = try fixture.read()
      var rows = try fixture.text(file).split(separator: "\n").map(String.init)
      let count = rows.count - 1
      for index in stride(from: count, to: 0, by: -1) where index % step == 1 { rows.insert(rows[index], at: index) }
      try fixture.write(file, rows.joined(separator: "\n") + "\n")
      let reading = try fixture.read()
      #expect(reading.imu == whole.imu && reading.frames.map(\.features) == whole.frames.map(\.features))
      #expect(reading.counts(file) == [.duplicate: (count + step - 1) / step])
      #expect(throws: DatasetError.self) { _ = try fixture.read(ReadingOptions(strict: true)) }
    }
  }

  /// A header's mark of a comment stands before its first column, whichever that is, or before the stamp's.
  @Test func theMarkOfAHeaderMayStandAnywhere() throws {
    let fixture = try Fixture()
    let whole = try fixture.read()
    var rows = try fixture.text(Fixture.imu).split(separator: "\n").map { $0.components(separatedBy: ",") }
    rows = rows.map { Array($0[1...] + $0[..<1]) }
    try fixture.write(Fixture.imu, rows.map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n")
    #expect(try fixture.text(Fixture.imu).contains(",#timestamp"))
    #expect(try fixture.read().imu == whole.imu)
  }

  @Test func badRowsAfterTheRequestedEndAreNotCounted() throws {
    let fixture = try Fixture()
    for line in 1900...1920 { try FatalCase.cell(Fixture.imu, line: line, 1, "x")(fixture) }
    #expect(throws: DatasetError.self) { _ = try fixture.read() }
    #expect(try fixture.read(ReadingOptions(to: 5)).damage.allSatisfy { $0.total == 0 })
  }

  @Test func aLastRowWithoutEndOfLineThatIsWholeIsGood() throws {
    let fixture = try Fixture()
    try fixture.write(Fixture.imu, String(fixture.text(Fixture.imu).dropLast()))
    let reading = try fixture.read()
    #expect(reading.imu.count == 2000 && reading.counts(Fixture.imu).isEmpty)
  }

  @Test func damageInTheTruthChangesNoEvent() throws {
    let fixture = try Fixture()
    let before = try fixture.read().events
    try fixture.write("mav0/state_groundtruth_estimate0/data.csv", "\0\0garbage")
    try fixture.write("mav0/peers_groundtruth0/data.csv", "")
    let recording = try fixture.open()
    #expect(try Reading(recording).events == before)
    #expect(throws: DatasetError.self) { _ = try recording.groundTruthStates() }
    #expect(throws: DatasetError.self) { _ = try recording.groundTruthPeers() }
  }
}
