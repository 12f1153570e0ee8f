import Datasets
import EventLines
import JSONText
import SensorData
import Testing

/// Structure, values, spelling: what a line is refused, counted or warned for.
@Suite struct LineParserTests {
  private func parse(_ text: String) throws(TextFault) -> ParsedLine {
    var parser = LineParser()
    return try Array(text.utf8).withUnsafeBufferPointer { bytes throws(TextFault) in try parser.parse(bytes) }
  }

  private func events(_ text: String) throws -> [ParsedEvent] {
    guard case .events(let events) = try parse(text) else { throw TextFault(found: text, expected: "events") }
    return events
  }

  @Test(arguments: [
    ("x", "an object"), ("[]", "an object"), ("{", "a key"), ("{}", "imu, frame"), ("{\"imu\":1}", "[[t,"),
    ("{\"imu\":[[1,2]]}", "7 numbers"),
    ("{\"imu\":[[1,2,3,4,5,6,7,8]]}", "']'"), ("{\"imu\":[[1.5,2,3,4,5,6,7]]}", "whole nanoseconds"),
    ("{\"imu\":[[1e9,2,3,4,5,6,7]]}", "whole nanoseconds"), ("{\"imu\":[[1,02,3,4,5,6,7]]}", "a number"),
    ("{\"imu\":[[1,\"2\",3,4,5,6,7]]}", "a number"),
    ("{\"imu\":[[99999999999999999999,2,3,4,5,6,7]]}", "whole nanoseconds"),
    ("{\"imu\":[[1,+2,3,4,5,6,7]]}", "a number"), ("{\"imu\":[[1,.2,3,4,5,6,7]]}", "a number"),
    ("{\"imu\":[[1,NaN,3,4,5,6,7]]}", "a number"),
    ("{\"range\":{\"t\":1,\"peer\":\"a\"}}", "range.range"), ("{\"range\":{\"t\":1,\"range\":1}}", "range.peer"),
    ("{\"range\":{\"peer\":\"a\",\"range\":1}}", "range.t"),
    ("{\"range\":{\"t\":1,\"peer\":7,\"range\":1}}", "peer: a text"),
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":\"1\"}}", "a number"),
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":null}}", "a number"),
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"rnage\":1}}", "'range' (misspelt?)"),
    ("{\"rang\":{}}", "'range' (misspelt?)"),
    ("{\"frame\":{\"t\":1,\"camera\":2,\"ids\":[],\"uv\":[]}}", "0 or 1"),
    ("{\"frame\":{\"t\":1,\"ids\":[1],\"uv\":[1]}}", "2: u and v"),
    ("{\"frame\":{\"t\":1,\"uv\":[]}}", "frame.ids"), ("{\"pose\":{\"t\":1,\"p\":[1,2],\"q\":[1,0,0,0]}}", "[x,y,z]"),
    ("{\"pose\":{\"t\":1,\"p\":[1,2,3],\"q\":[1,0,0]}}", "[w,x,y,z]"), ("{\"event\":{\"t\":1}}", "event.event"),
    ("{\"end\":{}} {}", "the end of the line"), ("{\"imu\":[],\"end\":{}}", "one event a line"),
    ("{\"end\":1}", "an object"),
    ("{\"event\":{\"t\":1,\"event\":\"\\ud800\"}}", "pair"), ("{\"event\":{\"t\":1,\"event\":\"\\x\"}}", "an escape"),
    ("{\"trajectory\":\"odometry\"}", "\"version\":1"),
  ])
  func structure(_ line: String, _ expected: String) {
    do {
      _ = try parse(line)
      Issue.record("\(line) was taken")
    } catch { #expect(error.expected.contains(expected), "\(line): \(error)") }
  }

  @Test func deepNestingAndLongLines() {
    #expect(throws: TextFault.self) { try parse("{\"x\":" + String(repeating: "[", count: 100_000)) }
    #expect(throws: TextFault.self) { try parse("{\"version\":" + String(repeating: "{\"a\":", count: 100_000)) }
    do {
      _ = try parse("{\"imu\":[" + String(repeating: " ", count: LineParser.longestLine) + "]}")
      Issue.record("a long line was taken")
    } catch { #expect(error.found.contains("bytes")) }
    var narrow = LineParser(longestLine: 10)
    #expect(throws: TextFault.self) { try Array("{\"imu\":[]} ".utf8).withUnsafeBufferPointer { try narrow.parse($0) } }
    #expect(throws: Never.self) { try Array("{\"imu\":[]}".utf8).withUnsafeBufferPointer { try narrow.parse($0) } }
  }

  /// A name of 100 kB would stand in every update.
  @Test(arguments: ["peer", "antenna", "technology"]) func longNamesAreRefused(key: String) throws {
    let members = key == "peer" ? "" : "\"peer\":\"a\","
    func line(_ bytes: Int) -> String {
      "{\"range\":{\"t\":1,\"range\":1,\(members)\"\(key)\":\"\(String(repeating: "n", count: bytes))\"}}"
    }
    #expect(try events(line(256)).count == 1)
    do {
      _ = try parse(line(257))
      Issue.record("a name of 257 bytes was taken")
    } catch {
      #expect(error == TextFault(found: "\(key) of 257 bytes", expected: "a name of at most 256"))
    }
  }

  @Test(arguments: [
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":-1}}", DamageKind.negativeRange),
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":1e999}}", .notFinite),
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":1,\"std\":0}}", .outOfRange),
    ("{\"range\":{\"t\":1,\"peer\":\"\",\"range\":1}}", .emptyCell),
    ("{\"range\":{\"t\":1,\"peer\":\"a,b\",\"range\":1}}", .outOfRange),
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":1,\"nlos\":2}}", .outOfRange),
    ("{\"range\":{\"t\":9223372036854775807,\"peer\":\"a\",\"range\":1}}", .outOfRange),
    ("{\"range\":{\"t\":2,\"peer\":\"a\",\"range\":1,\"arrival\":1}}", .outOfRange),
    ("{\"imu\":[[1,1e5,0,0,0,0,0]]}", .outOfRange),
    ("{\"imu\":[[1,-1e400,0,0,0,0,0]]}", .notFinite),
    ("{\"pose\":{\"t\":1,\"p\":[0,0,0],\"q\":[2,0,0,0]}}", .notUnitQuaternion),
    ("{\"pose\":{\"t\":1,\"p\":[0,1e999,0],\"q\":[1,0,0,0]}}", .notFinite),
    ("{\"frame\":{\"t\":1,\"ids\":[],\"uv\":[],\"luma\":1.5}}", .outOfRange),
    ("{\"frame\":{\"t\":1,\"ids\":[],\"uv\":[],\"view\":\"odd\"}}", .outOfRange),
    ("{\"event\":{\"t\":1,\"event\":\"\"}}", .emptyCell),
  ])
  func values(_ line: String, _ kind: DamageKind) throws {
    let events = try events(line)
    #expect(events.count == 1)
    if case .damaged(_, kind)? = events.first {} else { Issue.record("\(line): \(events)") }
  }

  @Test func featuresAreSortedAndEachIDOnce() throws {
    let events = try events("{\"frame\":{\"t\":1,\"ids\":[9,2,9,4],\"uv\":[1,1,2,2,3,3,1e7,4]}}")
    #expect(events.dropLast() == [.damaged(.frame, .outOfRange), .damaged(.frame, .duplicate)])
    guard case .event(let timed)? = events.last, case .frame(let frame) = timed.event else {
      Issue.record("no frame")
      return
    }
    #expect(frame.features.map(\.featureID) == [2, 9] && frame.features[1].u == 1 && frame.camera == 0)
  }

  @Test func timesNeverPassThroughADouble() throws {
    let time: Int64 = 4_611_686_018_427_387_903 - 2  // not a Double
    #expect(Int64(Double(time)) != time)
    guard case .event(let timed) = try events("{\"imu\":[[\(time),0,0,0,0,0,0]],\"arrival\":\(time + 1)}")[0] else {
      return
    }
    #expect(timed.event.timestamp.nanoseconds == time && timed.arrival.nanoseconds == time + 1)
  }

  @Test func unknownKeysWarnOnce() throws {
    var parser = LineParser()
    for _ in 0..<3 {
      for line in [
        "{\"imu\":[],\"batteryLevel\":{\"a\":[1,\"b\",null]}}",
        "{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":1,\"colour\":\"red\"}}",
      ] {
        _ = try Array(line.utf8).withUnsafeBufferPointer { try parser.parse($0) }
      }
    }
    #expect(parser.warnings.count == 2)
    let taken = parser.takeWarnings()
    #expect(taken.allSatisfy { $0.contains("not known and not used") } && parser.warnings.isEmpty)
  }

  @Test func nullIsAbsentAndEscapesAreRead() throws {
    let plain = try events("{\"range\":{\"t\":1,\"peer\":\"a/ü\u{1F600}\",\"range\":1}}")
    let odd = try events(
      " { \"range\" : { \"t\" : 1 , \"peer\":\"\\u0061\\/\\u00fc\\ud83d\\ude00\", \"range\":1.0,\"std\":null,\"antenna\":null,\"arrival\":null } }\r"
    )
    #expect(plain == odd)
  }

  /// Any bytes: a fault or a line, never a trap.
  @Test func randomBytes() {
    var state: UInt64 = 3
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let seeds = [
      "{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":1,\"nlos\":0.5}}", "{\"imu\":[[1,2,3,4,5,6,7],[2,2,3,4,5,6,7]]}",
      "{\"frame\":{\"t\":1,\"ids\":[1,2],\"uv\":[1,2,3,4],\"exposure\":8e6}}",
      "{\"version\":1,\"rig\":{\"imu0\":{\"T_BS\":[1]}}}",
    ].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      var bytes = seeds[next(seeds.count)]
      for _ in 0...next(3) {
        switch next(3) {
        case 0: bytes[next(bytes.count)] = UInt8(next(256))
        case 1: bytes.remove(at: next(bytes.count))
        default: bytes.insert(Array("{}[]\",:\\-e.0n".utf8)[next(13)], at: next(bytes.count))
        }
      }
      var parser = LineParser()
      _ = try? bytes.withUnsafeBufferPointer { try parser.parse($0) }
    }
  }
}
