import PrecisionFinding
import SensorData
import Simulation
import Testing

@Suite struct ReorderBufferTests {
  static func range(_ milliseconds: Int64, _ peer: String = "a", value: Double = 1) -> SensorEvent {
    .range(RangeMeasurement(timestamp: .init(nanoseconds: milliseconds * 1_000_000), peer: peer, range: value))
  }
  static func frame(_ milliseconds: Int64, camera: Int = 0) -> SensorEvent {
    .frame(CameraFrame(timestamp: .init(nanoseconds: milliseconds * 1_000_000), camera: camera, features: []))
  }
  static func at(_ event: SensorEvent, _ milliseconds: Int64) -> TimedEvent {
    TimedEvent(event, arrival: .init(nanoseconds: milliseconds * 1_000_000))
  }

  /// Everything that comes out when `events` go in, the flush included.
  static func run(_ events: [TimedEvent]) -> (out: [SensorEvent], refused: Int) {
    var buffer = ReorderBuffer(window: 0.05)
    var out: [SensorEvent] = []
    var refused = 0
    for event in events {
      if buffer.insert(event) != .held { refused += 1 }
      out += buffer.release()
    }
    return (out + buffer.flush(), refused)
  }

  @Test func anEventIsHeldForTheWindowAndNoLonger() {
    var buffer = ReorderBuffer(window: 0.05)
    func released(after event: SensorEvent) -> [SensorEvent]? {
      buffer.insert(TimedEvent(event)) == .held ? buffer.release() : nil
    }
    let early = buffer.release()
    #expect(early.isEmpty)
    #expect(released(after: Self.range(100)) == [])
    #expect(released(after: Self.range(149)) == [])
    #expect(released(after: Self.range(150)) == [Self.range(100)])
    let rest = buffer.flush()
    #expect(rest == [Self.range(149), Self.range(150)])
    let nothing = buffer.flush()
    #expect(nothing.isEmpty)
  }

  /// A permutation that delays nothing by more than the window gives the same output.
  @Test func permutationsWithinTheWindowGiveTheSame() {
    var random = SeededRandom(seed: 111)
    let events = (0..<400).map { k in Self.range(Int64(k) * 7, "peer\(k % 3)", value: Double(k)) }
    for _ in 0..<20 {
      let late = events.map { event in
        TimedEvent(
          event, arrival: event.timestamp.advanced(byNanoseconds: Int64(random.uniform(0...50) * 1e6)))
      }
      let shuffled = late.sorted { ($0.arrival, $0.event.timestamp) < ($1.arrival, $1.event.timestamp) }
      let result = Self.run(shuffled)
      #expect(result.refused == 0 && result.out == events)
    }
  }

  @Test func whatComesTooLateIsRefusedAndTheRestKeepsItsOrder() {
    let result = Self.run([
      Self.at(Self.range(0), 0), Self.at(Self.range(100), 100), Self.at(Self.range(200), 200),
      Self.at(Self.range(60), 201), Self.at(Self.range(160), 202),
    ])
    #expect(result.refused == 1)
    #expect(result.out == [Self.range(0), Self.range(100), Self.range(160), Self.range(200)])
  }

  /// At one time: motion, then frames and device events, then ranges by peer; the two cameras in order.
  @Test func tiesHaveOneOrder() {
    let ordered: [SensorEvent] = [
      .imu(IMUSample(timestamp: .init(nanoseconds: 0), angularVelocity: .zero, specificForce: .zero)),
      Self.frame(0, camera: 0), Self.frame(0, camera: 1),
      .device(DeviceEvent(timestamp: .init(nanoseconds: 0), name: "x")),
      Self.range(0, "a"), Self.range(0, "b"), Self.range(0, "c"),
    ]
    var random = SeededRandom(seed: 112)
    for _ in 0..<50 {
      #expect(Self.run(ordered.shuffled(using: &random).map { TimedEvent($0) }).out == ordered)
    }
  }

  @Test func theEndsOfTheClockDoNoHarm() {
    let first = SensorEvent.device(DeviceEvent(timestamp: .init(nanoseconds: .min), name: "first"))
    let last = SensorEvent.device(DeviceEvent(timestamp: .init(nanoseconds: .max), name: "last"))
    let result = Self.run([TimedEvent(first), TimedEvent(last)])
    #expect(result.refused == 0 && result.out == [first, last])
  }
}
