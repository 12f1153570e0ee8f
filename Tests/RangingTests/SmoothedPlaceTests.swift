import Geometry
import Ranging
import SensorData
import Testing

@Suite struct SmoothedPlaceTests {
  private static func time(_ k: Int) -> Timestamp { Timestamp(nanoseconds: Int64(k) * 100_000_000) }
  private static func place(_ k: Int) -> Vector3 { Vector3(0.3 * Double(k * k % 11), Double(k), -0.2 * Double(k % 3)) }

  /// A mean of n is the mean of the newest n places, and complete from the n-th on.
  @Test func meanOfPlaces() {
    var places = SmoothedPlace(.mean(count: 4))
    for k in 0..<20 {
      let found = places.append(Self.place(k), at: Self.time(k))
      let newest = (max(k - 3, 0)...k).map(Self.place)
      #expect((found - newest.reduce(Vector3.zero) { $0 + $1 } / Double(newest.count)).norm < 1e-12)
      #expect(places.isComplete == (k >= 3))
    }
  }

  /// `y_k = y_(k-1) + w (x_k - y_(k-1))`, complete once the first place weighs less than a twentieth.
  @Test func exponentialMeanOfPlaces() {
    var places = SmoothedPlace(.exponential(weight: 0.25))
    var expected = Vector3.zero
    for k in 0..<30 {
      expected = k == 0 ? Self.place(0) : expected + (Self.place(k) - expected) * 0.25
      #expect((places.append(Self.place(k), at: Self.time(k)) - expected).norm < 1e-12)
      var older = 1.0
      for _ in 0...k { older *= 0.75 }
      #expect(places.isComplete == (older < 0.05))
    }
  }

  /// A lag reports the place of so long ago, between two places in proportion.
  @Test func lag() {
    var places = SmoothedPlace(.lag(seconds: 0.25))
    for k in 0..<10 {
      let found = places.append(Vector3(Double(k), 0, 0), at: Self.time(k))
      #expect(abs(found.x - max(Double(k) - 2.5, 0)) < 1e-12)
      #expect(places.isComplete == (k >= 3))
    }
  }
}
