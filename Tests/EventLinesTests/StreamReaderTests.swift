import Datasets
import EventLines
import FuseCaptureFormat
import JSONText
import SensorData
import Testing

/// Streams as a whole: first and last lines, order, keys twice.
@Suite struct StreamReaderTests {
  static let identity = "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"
  static let header =
    "{\"version\":1,\"trajectory\":\"odometry\",\"rig\":{\"odometry0\":{\"T_BS\":\(identity)},\"uwb0\":{\"T_BS\":\(identity)}}}"

  private func read(_ lines: [String]) throws -> (reader: StreamReader, events: [TimedEvent]) {
    try RoundTripTests.read(Array(lines.joined(separator: "\n").utf8))
  }

  private func fault(_ lines: [String]) -> String {
    do { _ = try read(lines) } catch { return "\(error)" }
    return "none"
  }

  private func range(_ t: Int, arrival: Int? = nil, peer: String = "a") -> String {
    "{\"range\":{\"t\":\(t),\"peer\":\"\(peer)\",\"range\":1\(arrival.map { ",\"arrival\":\($0)" } ?? "")}}"
  }

  @Test func linesAreNumberedAndFaultsAreInWords() {
    #expect(
      fault([range(1)]) == "error: lines:1: an event, expected the header first: {\"version\":1,\"trajectory\":...}")
    #expect(fault([Self.header, range(1), Self.header]).hasPrefix("error: lines:3: a second header"))
    #expect(fault([Self.header, "{\"end\":{}}", range(1)]).hasPrefix("error: lines:3: a line behind the end"))
    #expect(
      fault([Self.header, range(1), "{\"range\":{}}"])
        == "error: lines:3: no key range.t, expected range.t in every such line")
  }

  @Test func headers() {
    func header(_ change: (String, String)) -> String {
      fault([Self.header.replacing(change.0, with: change.1)])
    }
    #expect(header(("\"version\":1", "\"version\":2")) == "error: lines:1: version 2, expected version 1")
    #expect(header(("\"odometry\"", "\"lidar\"")).contains("expected visualInertial or odometry"))
    #expect(header(("\"odometry\"", "\"visualInertial\"")).contains("a rig without imu0"))
    #expect(header(("\"trajectory\"", "\"trajectorie\"")).contains("(misspelt?)"))
    #expect(header(("odometry0", "odometrie0")).contains("(misspelt?)"))
    #expect(header(("[1,0,", "[\"1\",0,")).contains("the text \"1\", expected a number"))
    #expect(header(("[1,0,", "[2,0,")).contains("no rotation"))
    #expect(header(("\"T_BS\"", "\"T_SB\"")).contains("(misspelt?)"))
  }

  @Test func orderAndKeysWithinAStream() throws {
    let (reader, events) = try read([
      Self.header, range(100), range(90), range(100), range(100, peer: "b"), range(95, arrival: 110), range(105),
      "{\"range\":{\"t\":120,\"peer\":\"a\",\"range\":1,\"antenna\":\"x\"}}",
      "{\"event\":{\"t\":5,\"event\":\"suspend\"}}",
    ])
    #expect(events.map(\.event.timestamp.nanoseconds) == [100, 100, 95, 120, 5])
    #expect(reader.admission?.damage == [.range: [.timeGoingBack: 2, .duplicate: 1]])
    #expect(reader.admission?.rows == [.range: 7, .event: 1])
  }

  /// As in `uwb0`: what differs in peer, antenna or technology is no duplicate.
  @Test func keysOfRanges() throws {
    let named = Self.header.replacing(
      "\"uwb0\":{\"T_BS\":\(Self.identity)}",
      with: "\"uwb0\":{\"antennas\":{\"l\":[0,0,0],\"ab\":[1,0,0],\"b\":[0,0,0]}}")
    func range(_ peer: String, _ antenna: String, _ technology: String?) -> String {
      let end = technology.map { ",\"technology\":\"\($0)\"" } ?? ""
      return "{\"range\":{\"t\":5,\"peer\":\"\(peer)\",\"range\":1,\"antenna\":\"\(antenna)\"\(end)}}"
    }
    let all = [
      range("a", "l", nil), range("b", "l", nil), range("a", "ab", nil), range("aa", "b", nil), range("a", "l", "uwb"),
      range("a", "l", "ble"),
    ]
    let (reader, events) = try read([named] + all + all)
    #expect(events.count == 6 && reader.admission?.damage == [.range: [.duplicate: 6]])
  }

  /// Ranges at these hundredths of a second; what enters, and what was counted.
  private func admitted(_ stamps: [Int], peers: Int = 1) throws -> (
    stamps: [Int], damage: [LineStream: [DamageKind: Int]]
  ) {
    let (reader, events) = try read([Self.header] + stamps.map { range($0 * 10_000_000) })
    return (events.map { Int($0.event.timestamp.nanoseconds / 10_000_000) }, reader.admission!.damage)
  }

  /// A stamp in the future is no new time, wherever it stands, and neither are three, of whatever values.
  @Test(arguments: [[6000], [101], [6000, 6001, 6002], [9000, 6000, 30_000], [6000, 30_000, 900_000], [400_000_000]])
  func stampsInTheFuture(outliers: [Int]) throws {
    for place in [0, 1, 5, 49] {
      let whole = Array(0..<50)
      let ahead = outliers.map { $0 + place }
      let found = try admitted(Array(whole[..<place]) + ahead + Array(whole[place...]))
      #expect(found.stamps == whole, "\(outliers) at \(place)")
      #expect(found.damage == [.range: [.futureStamp: outliers.count]])
    }
  }

  /// Where the stream goes on behind a gap, nothing is lost, also where it ends there.
  @Test(arguments: 1...6) func gaps(rest: Int) throws {
    let stamps = Array(0..<20) + Array(7000..<7000 + rest)
    let found = try admitted(stamps)
    #expect(found.stamps == stamps && found.damage.isEmpty)
    // So slow that every one is ahead.
    let slow = (0..<10 + rest).map { $0 * 500 }
    let second = try admitted(slow)
    #expect(second.stamps == slow && second.damage.isEmpty)
  }

  /// A stream of ranges ahead by a minute holds up no poses, and counts when the ranges go on.
  @Test func otherStreamsPass() throws {
    func pose(_ k: Int) -> String { "{\"pose\":{\"t\":\(k * 10_000_000),\"p\":[0,0,0],\"q\":[1,0,0,0]}}" }
    var reader = StreamReader(source: "lines")
    var events: [TimedEvent] = []
    func line(_ text: String) throws {
      try Array(text.utf8).withUnsafeBufferPointer { try reader.read($0, into: &events) }
    }
    try line(Self.header)
    for k in 0..<10 { try line(pose(k)) }
    try line(range(60_000_000_000))
    for k in 10..<20 { try line(pose(k)) }
    #expect(events.count == 20 && reader.admission!.damage.isEmpty)
    try line(range(205_000_000))
    #expect(events.count == 21 && reader.admission!.damage == [.range: [.futureStamp: 1]])
    // Where its stream does not go on, the others decide at the end.
    try line(range(60_000_000_000))
    for k in 21..<30 { try line(pose(k)) }
    try line("{\"end\":{}}")
    #expect(events.count == 30 && reader.admission!.damage == [.range: [.futureStamp: 2]])
  }

  /// Whatever is in order of arrival enters as it is: so a recording and its lines are one sequence.
  @Test func whatIsInOrderEntersUnchanged() throws {
    var state: UInt64 = 11
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    for _ in 0..<300 {
      var (lines, expected, arrival) = ([Self.header], [Int64](), 0)
      var last = ["a": -1, "b": -1, "pose": -1]
      for _ in 0..<random(40) {
        arrival += [1, 1000, 20_000_000, 999_999_999, 1_000_000_001, 5_000_000_000, 1 << 50][random(7)]
        let name = ["a", "b", "pose"][random(3)]
        let stamp = max(last[name]! + 1, arrival - random(2_000_000_000))
        guard stamp <= arrival else { continue }
        last[name] = stamp
        expected.append(Int64(arrival))
        lines.append(
          name == "pose"
            ? "{\"pose\":{\"t\":\(stamp),\"arrival\":\(arrival),\"p\":[0,0,0],\"q\":[1,0,0,0]}}"
            : range(stamp, arrival: arrival, peer: name))
      }
      guard !expected.isEmpty else { continue }
      let (reader, events) = try read(lines)
      #expect(reader.admission!.damage.isEmpty && events.map(\.arrival.nanoseconds) == expected)
    }
  }

  @Test func unknownAntennasAndCameras() throws {
    let named = Self.header.replacing(
      "\"uwb0\":{\"T_BS\":\(Self.identity)}", with: "\"uwb0\":{\"antennas\":{\"l\":[0,0,0],\"r\":[1,0,0]}}")
    let (reader, events) = try read([
      named, range(1), "{\"range\":{\"t\":2,\"peer\":\"a\",\"range\":1,\"antenna\":\"r\"}}",
      "{\"frame\":{\"t\":2,\"ids\":[],\"uv\":[]}}",
    ])
    #expect(events.count == 1)
    #expect(reader.admission?.damage == [.range: [.unknownAntenna: 1], .frame: [.outOfRange: 1]])
  }

  /// Lines out of order get arrivals by which a recording of them is read in the same order.
  @Test func orderOfLinesIsOrderOfArrival() {
    func range(_ t: Int64, _ arrival: Int64? = nil) -> TimedEvent {
      TimedEvent(
        .range(RangeMeasurement(timestamp: Timestamp(nanoseconds: t), peer: "a", range: 1)),
        arrival: arrival.map(Timestamp.init))
    }
    func pose(_ t: Int64) -> TimedEvent {
      TimedEvent(.odometry(OdometryPose(timestamp: Timestamp(nanoseconds: t), worldFromSensor: .identity)))
    }
    var order = ArrivalOrder()
    let arrivals = [range(10), pose(20), range(15), range(18), pose(21), range(21), pose(21)].map {
      order.next($0).arrival.nanoseconds
    }
    #expect(arrivals == [10, 20, 21, 21, 21, 21, 22])
    // What is in order stays as it is.
    var sorted = ArrivalOrder()
    for event in [pose(1), range(1), range(2, 9), pose(9), range(9)] {
      let next = sorted.next(event)
      #expect(next == event)
    }
  }

  @Test func linesAreCutWhereverTheBytesArrive() throws {
    let text = Array("ab\n\ncdef\nrest".utf8)
    for size in 1...text.count {
      var splitter = LineSplitter()
      var lines: [String] = []
      for begin in stride(from: 0, to: text.count, by: size) {
        text[begin..<min(begin + size, text.count)].withUnsafeBytes { splitter.append($0) }
        while try splitter.next({ lines.append(String(decoding: $0, as: UTF8.self)) }) {}
      }
      try splitter.finish { lines.append(String(decoding: $0, as: UTF8.self)) }
      #expect(lines == ["ab", "", "cdef", "rest"])
    }
    var splitter = LineSplitter()
    [UInt8](repeating: 32, count: LineParser.longestLine + 2).withUnsafeBytes { splitter.append($0) }
    #expect(throws: TextFault.self) {
      var long = splitter
      _ = try long.next { _ in }
    }
  }
}
