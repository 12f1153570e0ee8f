import Geometry
import SensorData
import Testing

@Suite struct SensorEventTests {
  /// One event of every kind, in processing order.
  static let inOrder: [SensorEvent] = [
    .imu(IMUSample(timestamp: .init(nanoseconds: 1), angularVelocity: .zero, specificForce: .zero)),
    .odometry(OdometryPose(timestamp: .init(nanoseconds: 2), worldFromSensor: .identity)),
    .frame(CameraFrame(timestamp: .init(nanoseconds: 3), features: [])),
    .device(DeviceEvent(timestamp: .init(nanoseconds: 4), name: "suspend")),
    .range(RangeMeasurement(timestamp: .init(nanoseconds: 5), peer: "tag", range: 1)),
  ]

  @Test func motionPrecedesImagesAndRanges() {
    let ranks = Self.inOrder.map(\.rank)
    #expect(ranks == ranks.sorted() && Set(ranks).count == ranks.count)
  }

  @Test func anEventsTimeIsItsContents() {
    #expect(Self.inOrder.map(\.timestamp.nanoseconds) == [1, 2, 3, 4, 5])
  }

  @Test func arrivalDefaultsToTheTimestamp() {
    let event = Self.inOrder[4]
    #expect(TimedEvent(event).arrival == event.timestamp)
    #expect(TimedEvent(event, arrival: .init(nanoseconds: 9)).arrival.nanoseconds == 9)
  }
}
