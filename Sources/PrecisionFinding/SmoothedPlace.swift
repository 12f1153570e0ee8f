import Geometry
import SensorData

/// The place that a smoothed range measures from.
///
/// A radio that reports `sum_k w_k z(t_k)` measures, to first order in the displacement over the distance, the distance from `sum_k w_k p(t_k)`: the antenna's places
/// with the same weights. What is left out, `d^2 / 2 r` for a displacement d within the memory, is a centimetre for a third of a metre at 3 m.
package struct SmoothedPlace {
  private let filter: RangeFilter
  private var places: [(time: Timestamp, place: Vector3)] = []

  package init(_ filter: RangeFilter) { self.filter = filter }

  /// Takes the antenna's place at a range in, world, metres; the place that this range measures from.
  package mutating func visit(_ place: Vector3, at time: Timestamp) -> Vector3 {
    switch filter {
    case .mean(let count):
      places.append((time, place))
      places.removeFirst(max(places.count - count, 0))
      return places.reduce(Vector3.zero) { $0 + $1.place } / Double(places.count)
    case .exponential(let weight):
      let mean = places.first.map { $0.place + weight * (place - $0.place) } ?? place
      places = [(time, mean)]
      return mean
    case .lag(let seconds):
      places.append((time, place))
      let wanted = time.advanced(bySeconds: -seconds)
      while places.count > 1, places[1].time <= wanted { places.removeFirst() }
      guard places.count > 1, places[0].time < wanted else { return places[0].place }
      let share = wanted.seconds(since: places[0].time) / places[1].time.seconds(since: places[0].time)
      return places[0].place + share * (places[1].place - places[0].place)
    }
  }
}
