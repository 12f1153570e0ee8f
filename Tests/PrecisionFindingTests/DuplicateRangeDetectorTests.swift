import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import Testing

/// A range that is said again is no news.
@Suite struct DuplicateRangeDetectorTests {
  /// Twenty seconds of one peer.
  private static let events = OdometryWorld.events(seconds: 20, peers: ["a"])

  private static func changed(_ change: (RangeMeasurement) -> RangeMeasurement) -> [TimedEvent] {
    events.map { event in
      guard case .range(let range) = event.event else { return event }
      return TimedEvent(.range(change(range)))
    }
  }

  /// Firmware that hangs from the beginning, after the first few ranges, or after seconds of motion: what was known then may stay, nothing new is found, and the radio is named.
  @Test(arguments: [0, 0.4, 3, 10]) func aRadioThatHangsTellsNothing(since: Double) throws {
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
      guard case .findings(let found) = update.details["findings"] else {
        Issue.record("nothing found out")
        continue
      }
      #expect(found.contains { $0.finding == .repeated })
      #expect(update.object.quality == .drifting)
      #expect(update.object.distance != nil)
    }
    guard since < 1 else { return }
    #expect(late.allSatisfy { $0.object.horizontalAngle == nil && $0.convergence.status != .converged })
  }

  /// A logger that writes each range five times: what is told is what each range told once.
  @Test func aLoggerThatSamplesFasterChangesNothing() throws {
    let often =
      (Self.events
      + Self.events.flatMap { event -> [TimedEvent] in
        guard case .range(let range) = event.event else { return [] }
        return (1..<5).map { k in
          var copy = range
          copy.timestamp = range.timestamp.advanced(bySeconds: 0.0151 * Double(k))
          return TimedEvent(.range(copy))
        }
      }).sorted { $0.event.timestamp < $1.event.timestamp }
    let (once, five) = (OdometryWorld.run(Self.events).updates(), OdometryWorld.run(often).updates())
    let (end, other) = (try #require(once.last).object, try #require(five.last).object)
    let (angle, same) = (try #require(end.horizontalAngle), try #require(other.horizontalAngle))
    #expect(abs(angle.value - same.value) < 0.2 * angle.standardDeviation)
    #expect(abs(same.standardDeviation / angle.standardDeviation - 1) < 0.1)
    #expect(five.filter { $0.details["rangeUse"] == .text("repeated") }.count > 700)
  }

  /// A radio that hangs before there is a path: what it says again is not kept for the path's beginning.
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

  /// By chance, radios that count in millimetres, centimetres and decimetres repeat themselves: hardly any of it is taken away.
  @Test(arguments: [(0.001, 0.01), (0.01, 0.05), (0.1, 0.1)]) func chanceIsNoRepetition(step: Double, most: Double) {
    var random = SeededRandom(seed: 4)
    var watch = DuplicateRangeDetector()
    let repeated = (0..<2000).count { k in
      let metres = (5 + 0.03 * random.gaussian()) / step
      return watch.isRepeated(
        RangeMeasurement(timestamp: OdometryWorld.time(0.1 * Double(k)), peer: "a", range: metres.rounded() * step),
        antenna: .zero)
    }
    print("a radio that counts in \(step) m: \(repeated) of 2000 taken for repetitions")
    #expect(Double(repeated) <= most * 2000)
  }

  /// What comes from a live source need not be a distance.
  @Test func anyNumberIsTaken() {
    var watch = DuplicateRangeDetector()
    for metres in [-1e300, -5, 0, 1e300, .greatestFiniteMagnitude] {
      let range = RangeMeasurement(timestamp: OdometryWorld.time(0), peer: "a", range: metres)
      let isRepeated = watch.isRepeated(range, antenna: .zero)
      #expect(!isRepeated)
    }
  }

  /// A recording written by hand, without noise, of a device that stands: every range counts.
  @Test func aStandingDeviceMayBeToldTheSame() {
    var watch = DuplicateRangeDetector()
    for k in 0..<100 {
      let range = RangeMeasurement(timestamp: OdometryWorld.time(0.1 * Double(k)), peer: "a", range: 5)
      let isRepeated = watch.isRepeated(range, antenna: .zero)
      #expect(!isRepeated)
    }
    let later = RangeMeasurement(timestamp: OdometryWorld.time(11), peer: "a", range: 5)
    let isRepeated = watch.isRepeated(later, antenna: Vector3(0.5, 0, 0))
    #expect(isRepeated, "until it moves")
  }
}
