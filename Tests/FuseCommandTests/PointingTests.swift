import Datasets
import Geometry
import RunResults
import SensorData
import Testing
import fuse

/// The peer pointed at, from the updates of a run.
@Suite struct PointingTests {
  private static func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  private static func update(_ seconds: Double, _ peer: String, angle: Double?) -> UpdateRecord {
    var record = UpdateRecord(timestamp: time(seconds), peer: peer, status: "notConverged")
    record.distance = 4
    record.horizontalAngle = angle.map { .init(value: $0, standardDeviation: 0.1, low: $0 - 0.1, high: $0 + 0.1) }
    return record
  }

  @Test func theNearestToTheAxisComesFirst() {
    var updates: [UpdateRecord] = []
    for k in 0..<20 {
      let seconds = 0.1 * Double(k)
      updates += [
        Self.update(seconds, "a", angle: 0.2), Self.update(seconds, "b", angle: k < 10 ? -0.05 : -1),
        Self.update(seconds, "c", angle: nil),
      ]
    }
    let early = Pointing(at: updates, until: Self.time(0.95))
    #expect(early.selected == "b" && early.entries.map(\.peer) == ["b", "a", "c"])
    #expect(early.entries.map(\.angle) == [0.05, 0.2, nil])
    let late = Pointing(at: updates, until: Self.time(5))
    #expect(late.selected == "a" && late.entries.map(\.peer) == ["a", "b", "c"])
    // A peer without updates does not stay a candidate.
    let gone = Pointing(at: updates + [Self.update(9, "b", angle: -1)], until: Self.time(9))
    #expect(gone.selected == nil)
    let nobody = Pointing(at: [], until: Self.time(1))
    #expect(nobody.selected == nil && nobody.entries.isEmpty)
    #expect(PointingText(nobody, at: 1, peers: ["a"]).lines[1] == "no updates until then")
  }
}
