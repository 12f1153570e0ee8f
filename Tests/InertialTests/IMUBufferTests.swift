import Geometry
import Inertial
import SensorData
import Testing

@Suite struct IMUBufferTests {
  static func sample(_ milliseconds: Int64, _ value: Double) -> IMUSample {
    IMUSample(
      timestamp: Timestamp(nanoseconds: milliseconds * 1_000_000), angularVelocity: Vector3(value, 0, 0),
      specificForce: Vector3(0, 0, value))
  }
  static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

  @Test func interpolatesBetweenAndHoldsBeyond() {
    var buffer = IMUBuffer()
    #expect(buffer.sample(at: Self.time(0)) == nil)
    for (t, v) in [(0, 1.0), (10, 2.0), (30, 6.0)] as [(Int64, Double)] { _ = buffer.add(Self.sample(t, v)) }
    #expect(buffer.samples.count == 3)
    #expect(buffer.sample(at: Self.time(20))?.angularVelocity.x == 4)
    #expect(buffer.sample(at: Self.time(10))?.specificForce.z == 2)
    #expect(buffer.sample(at: Self.time(-5))?.angularVelocity.x == 1)
    #expect(buffer.sample(at: Self.time(99))?.angularVelocity.x == 6)
    #expect(buffer.samples(after: Self.time(0), before: Self.time(30)).map(\.timestamp) == [Self.time(10)])
    #expect(abs(buffer.spacing(from: Self.time(12), to: Self.time(28)) - 0.02) < 1e-12)
    #expect(abs(buffer.spacing(from: Self.time(30), to: Self.time(70)) - 0.04) < 1e-12)
  }

  @Test func refusesWhatIsNotNewerOrNotFinite() {
    var buffer = IMUBuffer()
    let taken = [Self.sample(10, 1), Self.sample(10, 2), Self.sample(5, 2), Self.sample(20, .nan)].map {
      buffer.add($0)
    }
    #expect(taken == [true, false, false, false])
    #expect(buffer.samples.count == 1)
  }

  @Test func forgetKeepsTheSampleBefore() {
    var buffer = IMUBuffer()
    for i in 0..<1000 { _ = buffer.add(Self.sample(Int64(i), Double(i))) }
    buffer.forget(before: Self.time(900))
    #expect(buffer.samples.count < 200)
    #expect(buffer.samples[0].timestamp <= Self.time(900))
    #expect(buffer.sample(at: Self.time(900))?.angularVelocity.x == 900)
  }
}
