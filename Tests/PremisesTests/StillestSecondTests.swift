import Foundation
import Geometry
import Premises
import SensorData
import Testing

@Suite struct StillestSecondTests {
  @Test func theStillestSecondIsTheStationaryOne() throws {
    var still = StillestSecond()
    for k in 0..<1000 {
      let time = 0.005 * Double(k)
      let shake = (2..<3).contains(time) ? 0.0 : 0.5 * sin(40 * time)
      still.add(
        IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(k) * 5_000_000), angularVelocity: .zero,
          specificForce: Vector3(0, 0, 9.7 + shake)))
    }
    let best = try #require(still.best)
    #expect(best.time == Timestamp(nanoseconds: 2_000_000_000))
    #expect(abs(best.meanForce - 9.7) < 1e-9)
  }
}
