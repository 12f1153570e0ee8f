import Geometry
import Ranging
import SensorData

/// What each range of a radio that smooths says beyond the ones before it, and where it was measured from.
///
/// Smoothed ranges share their noise: taken for independent, ten that contain the same one count tenfold. What is independent is restored:
///
/// - exponential, `y_k = y_(k-1) + w (x_k - y_(k-1))`: the range itself, `x_k = y_(k-1) + (y_k - y_(k-1)) / w`, at its own place;
/// - mean of n: every n-th value, for n ranges in a row are in no other one, at the mean of their places;
/// - lag: the value, at the place of so long ago.
package struct RangeRestorer {
  private let filter: RangeFilter
  private var last: Double?
  /// Ranges since the newest one that was restored.
  private var count = 0
  private var places: SmoothedPlace

  package init(_ filter: RangeFilter) { (self.filter, places) = (filter, SmoothedPlace(filter)) }

  /// Variance of a restored range from rounding, in units of that of a reported one.
  package var roundingGain: Double {
    guard case .exponential(let weight) = filter else { return 1 }
    return (1 + (1 - weight) * (1 - weight)) / (weight * weight)
  }

  /// Takes a reported range in, metres, each in its turn; nil where it says nothing by itself.
  package mutating func restore(_ range: Double) -> Double? {
    switch filter {
    case .lag: return range
    case .exponential(let weight):
      defer { last = range }
      return last.map { $0 + (range - $0) / weight } ?? range
    case .mean(let n):
      defer { count = (count + 1) % n }
      return count == 0 ? range : nil
    }
  }

  /// Takes the antenna's place at a reported range in, world, metres; the place that the restored range measures from.
  package mutating func visit(_ place: Vector3, at time: Timestamp) -> Vector3 {
    if case .exponential = filter { return place }
    return places.append(place, at: time)
  }
}
