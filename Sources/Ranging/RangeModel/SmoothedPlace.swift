import Geometry
import SensorData

/// The place that a smoothed range is the distance from: the filter, applied to the antenna's places.
///
/// To first order in the displacement over the distance a mean range is the distance from the mean place. What is left out, `d^2 / 2 r` for a displacement d within
/// the memory, is a centimetre for a third of a metre at 3 m.
package struct SmoothedPlace {
  /// Weight of older places at which an exponential mean counts as free of them.
  private static let remainder = 0.05

  private let filter: RangeFilter
  /// Newest last; of an exponential mean none.
  private var places: [(time: Timestamp, place: Vector3)] = []
  private var mean = Vector3.zero
  /// Weight of the places that came before all of these.
  private var older = 1.0

  package init(_ filter: RangeFilter) { self.filter = filter }

  /// Whether the newest place rests on no place before the first.
  package var isComplete: Bool {
    switch filter {
    case .mean(let count): places.count >= count
    case .exponential: older < Self.remainder
    case .lag(let seconds):
      places.first.map { places[places.count - 1].time.seconds(since: $0.time) >= seconds } ?? false
    }
  }

  /// Takes the antenna's place at a range in, world, metres, each in its turn; the place of the smoothed range.
  package mutating func append(_ place: Vector3, at time: Timestamp) -> Vector3 {
    switch filter {
    case .exponential(let weight):
      mean = older == 1 ? place : mean + (place - mean) * weight
      older *= 1 - weight
      return mean
    case .mean(let count):
      places.append((time, place))
      places.removeFirst(max(places.count - count, 0))
      return places.reduce(Vector3.zero) { $0 + $1.place } / Double(places.count)
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
