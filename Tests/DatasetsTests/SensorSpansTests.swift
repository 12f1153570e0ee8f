import Datasets
import DatasetsTestSupport
import SensorData
import Testing

/// What the spans of sensors say of their clocks.
@Suite struct SensorSpansTests {
  typealias Span = SensorSpans.Span

  static func span(_ sensor: String, _ first: Double, _ last: Double) -> Span {
    let zero = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    return Span(sensor: sensor, first: zero.advanced(bySeconds: first), last: zero.advanced(bySeconds: last))
  }

  /// Whoever of three is off is named, with what to add; on whichever side.
  @Test(arguments: ["imu0", "cam0", "uwb0"], [250.0, -250, 3600, -3600])
  func whoeverIsOffIsNamed(sensor: String, offset: Double) throws {
    let spans = ["imu0", "cam0", "uwb0"].map {
      Self.span($0, $0 == sensor ? offset : 0, ($0 == sensor ? offset : 0) + 30)
    }
    let findings = SensorSpans(spans).findings
    #expect(findings.count == 1)
    let found = try #require(findings.first)
    let others = ["imu0", "cam0", "uwb0"].filter { $0 != sensor }
    #expect(found.isFault && found.sentence == "\(sensor) shares no time with \(others[0]) and \(others[1])")
    let added = offset.magnitude < 1000 ? "250.00 s" : "3600 s"
    #expect(found.remedy.contains("add \(offset > 0 ? "-" : "")\(added) to the stamps of \(sensor)"))
  }

  @Test func ofTwoTheSecondIsNamedAndLengthsThatDifferGiveNoOffset() throws {
    let found = try #require(SensorSpans([Self.span("imu0", 0, 300), Self.span("uwb0", 1000, 1020)]).findings.first)
    #expect(found.isFault && found.sentence == "uwb0 shares no time with imu0")
    #expect(found.remedy.contains("1970") && !found.remedy.contains("add"))
  }

  /// What shares some of its time, or begins and ends later by the same, is a note, of whoever differs from the others.
  @Test func partsAreNotes() throws {
    let shifted = SensorSpans([Self.span("imu0", 0, 30), Self.span("cam0", 20, 50), Self.span("uwb0", 0.1, 29.9)])
      .findings
    #expect(shifted.count == 1 && !shifted[0].isFault && shifted[0].remedy.contains("cam0 may be 20.00 s too late"))
    let first = SensorSpans([Self.span("imu0", -20, 10), Self.span("cam0", 0, 30), Self.span("uwb0", 0.1, 29.9)])
      .findings
    #expect(first.count == 1 && first[0].remedy.contains("imu0 may be 20.00 s too early"))
  }

  /// Sensors of a healthy recording: one lasts longer at both ends, one begins late, one has gaps.
  @Test func healthySpansSayNothing() {
    for spans in [
      [Self.span("imu0", -3, 40), Self.span("cam0", 0, 30), Self.span("uwb0", 0.2, 29)],
      [Self.span("imu0", 0, 30), Self.span("cam0", 1, 31.5), Self.span("uwb0", 12, 30.5)],
      [Self.span("odometry0", 0, 30)], [],
    ] { #expect(SensorSpans(spans).findings.isEmpty) }
  }

  /// From the files, with the camera's stated offset.
  @Test func spansComeFromTheFilesEnds() throws {
    let fixture = try Fixture()
    #expect(try fixture.open().spans().findings.isEmpty)
    let names = try fixture.open().spans().spans.map(\.sensor)
    #expect(names == ["imu0", "cam0", "uwb0"])
    try fixture.write(
      Fixture.cameraCalibration, Fixture.cameraYAML + "time_offset_cam_to_imu_s: 9.5\n")
    let late = try fixture.open().spans().spans[1].first.seconds(since: Timestamp(nanoseconds: Fixture.start))
    #expect(abs(late - 9.5) < 0.1)
  }
}

/// Rows that are written again, and counters that run over.
@Suite struct RepeatedRowsTests {
  /// A batch that is written again later is skipped and counted, whatever its size, and changes nothing else.
  @Test(arguments: [Fixture.imu, Fixture.features, Fixture.ranges])
  func aBatchWrittenTwiceIsSkipped(file: String) throws {
    let fixture = try Fixture()
    let whole = try fixture.read()
    var lines = try fixture.text(file).split(separator: "\n").map(String.init)
    lines.insert(contentsOf: lines[21...60], at: 81)
    lines.insert(contentsOf: lines[600...639], at: 640)
    try fixture.write(file, lines[0], Array(lines[1...]))
    let again = try fixture.read()
    #expect(again.counts(file) == [.duplicate: 80])
    #expect(again.imu.count == whole.imu.count && again.frames == whole.frames && again.ranges == whole.ranges)
  }

  /// Another reading under the time of an earlier one is no repetition.
  @Test func anotherReadingOfAnEarlierTimeIsNoRepetition() throws {
    let fixture = try Fixture()
    var lines = try fixture.text(Fixture.imu).split(separator: "\n").map(String.init)
    lines.insert(lines[500] + "5", at: 520)
    try fixture.write(Fixture.imu, lines[0], Array(lines[1...]))
    #expect(try fixture.read().counts(Fixture.imu) == [.timeGoingBack: 1])
  }

  /// Another device's range that comes late is no repetition.
  @Test func aLateRangeOfAnotherPeerIsNoRepetition() throws {
    let fixture = try Fixture()
    var lines = try fixture.text(Fixture.ranges).split(separator: "\n").map(String.init)
    let cells = lines[500].split(separator: ",").map(String.init)
    lines.insert("\(cells[0]),someone,3.5", at: 520)
    try fixture.write(Fixture.ranges, lines[0], Array(lines[1...]))
    #expect(try fixture.read().counts(Fixture.ranges) == [.timeGoingBack: 1])
  }

  /// What a counter of so many bits and such a tick leaves when it runs over is named, with what to add.
  @Test(
    arguments: [
      (4_294_967_296, "32 bits of ns"), (4_294_967_296_000, "32 bits of us"), (65_536_000_000, "16 bits of ms"),
      (17_207_401_026, "40 bits of ticks of 15.65 ps"),
    ] as [(Int64, String)])
  func aCounterThatWrapsIsNamed(period: Int64, counter: String) throws {
    let fixture = try Fixture()
    let rows = Fixture.imuRows().enumerated().map { index, row in
      let cells = row.split(separator: ",", maxSplits: 1).map(String.init)
      return "\((period - 2_500_000_000 + 5_000_000 * Int64(index)) % period),\(cells[1])"
    }
    try fixture.write(Fixture.imu, Fixture.imuHeader, rows)
    let error = #expect(throws: DatasetError.self) { _ = try fixture.read() }
    let words = error?.description ?? ""
    #expect(words.contains("a counter of \(counter) wraps here; add \(period) ns"), "\(words)")
  }

  /// Rows that are merely out of order, and a clock that was set back, are said as such.
  @Test(arguments: [(400_000_000, false), (33_000_000_000, true)] as [(Int64, Bool)])
  func aClockThatWasSetBackIsNoWrap(back: Int64, isClock: Bool) throws {
    let fixture = try Fixture()
    let rows = Fixture.imuRows().enumerated().map { index, row in
      let cells = row.split(separator: ",", maxSplits: 1).map(String.init)
      // Off the old rows' times: nothing is repeated.
      let time = Fixture.start + 5_000_000 * Int64(index) - (index >= 700 ? back - 1 : 0)
      return "\(time),\(cells[1])"
    }
    try fixture.write(Fixture.imu, Fixture.imuHeader, rows)
    let error = #expect(throws: DatasetError.self) { _ = try fixture.read() }
    let words = error?.description ?? ""
    #expect(words.contains("set back") == isClock && !words.contains("bits"), "\(words)")
  }
}
