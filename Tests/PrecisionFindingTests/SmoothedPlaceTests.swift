import Foundation
import Geometry
import PrecisionFinding
import SensorData
import Testing

@Suite struct SmoothedPlaceTests {
  /// Along a line every filter reports the place of its mean age ago, once it is full; and that age is what `delay` says.
  @Test(arguments: [RangeFilter.mean(count: 10), .exponential(weight: 0.2), .lag(seconds: 0.37)])
  func alongALine(filter: RangeFilter) {
    var places = SmoothedPlace(filter)
    var found = Vector3.zero
    for k in 0...200 {
      found = places.visit(Vector3(0.05 * Double(k), 1, 0), at: Timestamp(nanoseconds: Int64(k) * 100_000_000))
    }
    #expect(abs(found.x - (10 - 0.5 * filter.delay(interval: 0.1))) < 1e-9 && found.y == 1)
  }

  /// At rest, and without a memory, the place is the present one.
  @Test func withoutAMemory() {
    for filter in [RangeFilter.mean(count: 1), .exponential(weight: 1), .lag(seconds: 0)] {
      var places = SmoothedPlace(filter)
      for k in 0..<5 {
        let place = Vector3(Double(k), 0, 2)
        #expect(places.visit(place, at: Timestamp(nanoseconds: Int64(k) * 100_000_000)) == place)
      }
    }
  }
}
