import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import Ranging
import SensorData
import Simulation
import Testing

/// A duplicate range adds no information.
@Suite struct DuplicateRangeDetectorTests {
  /// Twenty seconds of one peer.
  private static let events = OdometryWorld.events(seconds: 20, peers: ["a"])

  /// The same with every range five times, 15 ms apart.
  private static let repeatedEvents =
    (events
    + events.flatMap { event -> [TimedEvent] in
      guard case .range(let range) = event.event else { return [] }
      return (1..<5).map { k in
        var copy = range
        copy.timestamp = range.timestamp.advanced(bySeconds: 0.0151 * Double(k))
        return TimedEvent(.range(copy))
      }
    }).sorted { $0.event.timestamp < $1.event.timestamp }

  private static func changed(_ change: (RangeMeasurement) -> RangeMeasurement) -> [TimedEvent] {
    events.map { event in
      guard case .range(let range) = event.event else { return event }
      return TimedEvent(.range(change(range)))
    }
  }

  /// Firmware that gets stuck from the beginning, after the first few ranges, or after seconds of motion. What was
  /// known then may stay, nothing new is found, and the radio is named.
  @Test(arguments: [0, 0.4, 3, 10]) func aStuckRadioAddsNoInformation(since: Double) throws {
    var stuck: Double?
    let events = Self.changed { range in
      guard range.timestamp > OdometryWorld.time(since) else { return range }
      stuck = stuck ?? range.range
      var range = range
      range.range = stuck!
      return range
    }
    let late = OdometryWorld.run(events).updates().filter { $0.timestamp > OdometryWorld.time(since + 2.5) }
    #expect(late.count > 50)
    for update in late {
      guard case .obstacles(let found) = update.details["findings"] else {
        Issue.record("no obstacles")
        continue
      }
      #expect(found.contains { $0.obstacle == .repeated })
      #expect(update.object.quality == .drifting)
      #expect(update.object.distance != nil)
    }
    guard since < 1 else { return }
    #expect(late.allSatisfy { $0.object.horizontalAngle == nil && $0.convergence.status != .converged })
  }

  /// A logger that writes each range five times: the result is that of single ranges.
  @Test func aLoggerThatSamplesFasterChangesNothing() throws {
    let (once, five) = (OdometryWorld.run(Self.events).updates(), OdometryWorld.run(Self.repeatedEvents).updates())
    let (end, other) = (try #require(once.last).object, try #require(five.last).object)
    let (angle, same) = (try #require(end.horizontalAngle), try #require(other.horizontalAngle))
    #expect(abs(angle.value - same.value) < 0.2 * angle.standardDeviation)
    #expect(abs(same.standardDeviation / angle.standardDeviation - 1) < 0.1)
    #expect(five.filter { $0.details["rangeUse"] == .text("repeated") }.count > 700)
  }

  /// Of all ranges that came, the new ones count.
  @Test func duplicatesAreNotCounted() throws {
    final class Last: ExplanationObserver {
      var explanation: Explanation?
      func wants(_ peer: String, at time: Timestamp) -> Bool { true }
      func observe(_ explanation: Explanation) { self.explanation = explanation }
    }
    let finder = OdometryWorld.finder()
    let last = Last()
    finder.attach(last)
    let updates = (Self.repeatedEvents.flatMap { finder.process($0) } + finder.finish()).updates()
    let repeated = updates.count { $0.details["rangeUse"] == .text("repeated") }
    let all = Self.repeatedEvents.count { if case .range = $0.event { true } else { false } }
    #expect(repeated > 700)
    #expect(try #require(last.explanation).ranges == all - repeated)
  }

  /// A radio that is stuck before there is a path: its duplicates are not kept for the path's start.
  @Test func repetitionsAreNotKept() throws {
    var random = SeededRandom(seed: 5)
    let early = (0..<60).map { k in
      let metres = k < 10 ? 5.1 + 0.04 * random.gaussian() : 5.1
      return TimedEvent(
        .range(RangeMeasurement(timestamp: OdometryWorld.time(-7 + 0.1 * Double(k)), peer: "a", range: metres)))
    }
    let updates = OdometryWorld.run(early + Self.events).updates()
    let uses = updates.filter { $0.timestamp < OdometryWorld.time(-0.5) }.compactMap { $0.details["rangeUse"] }
    #expect((10...12).contains(uses.count { $0 == .text("kept") }))
    #expect(uses.count { $0 == .text("repeated") } >= 48)
  }

  /// By chance, radios that count in millimetres, centimetres and decimetres repeat values: hardly any is taken for a
  /// duplicate.
  @Test(arguments: [(0.001, 0.01), (0.01, 0.05), (0.1, 0.1)]) func chanceIsNoRepetition(step: Double, most: Double) {
    var random = SeededRandom(seed: 4)
    var detector = DuplicateRangeDetector()
    let repeated = (0..<2000).count { k in
      let metres = (5 + 0.03 * random.gaussian()) / step
      return detector.isDuplicate(
        RangeMeasurement(timestamp: OdometryWorld.time(0.1 * Double(k)), peer: "a", range: metres.rounded() * step),
        antenna: .zero)
    }
    print("a radio that counts in \(step) m: \(repeated) of 2000 taken for repetitions")
    #expect(Double(repeated) <= most * 2000)
  }

  /// A live source may send any number.
  @Test func anyNumberIsTaken() {
    var detector = DuplicateRangeDetector()
    for metres in [-1e300, -5, 0, 1e300, .greatestFiniteMagnitude] {
      let range = RangeMeasurement(timestamp: OdometryWorld.time(0), peer: "a", range: metres)
      let isDuplicate = detector.isDuplicate(range, antenna: .zero)
      #expect(!isDuplicate)
    }
  }

  /// A synthetic recording, without noise, of a stationary device: every range counts.
  @Test func aStationaryDeviceMayRepeatRanges() {
    var detector = DuplicateRangeDetector()
    for k in 0..<100 {
      let range = RangeMeasurement(timestamp: OdometryWorld.time(0.1 * Double(k)), peer: "a", range: 5)
      let isDuplicate = detector.isDuplicate(range, antenna: .zero)
      #expect(!isDuplicate)
    }
    let later = RangeMeasurement(timestamp: OdometryWorld.time(11), peer: "a", range: 5)
    let isDuplicate = detector.isDuplicate(later, antenna: Vector3(0.5, 0, 0))
    #expect(isDuplicate, "until it moves")
  }
}
