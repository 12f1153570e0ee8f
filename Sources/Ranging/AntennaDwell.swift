import Geometry
import SensorData

/// Whether an antenna stays in place.
///
/// The coloured error of a range is multipath and antenna pattern: it changes with position and direction. In place it is a
/// constant, whatever its size, and the ranges scatter by the white part alone. What they say there of the coloured part is
/// not evidence on it.
struct AntennaDwell {
  /// Within this of where it came to rest the antenna is in place, metres: a hand's tremor.
  static let radius = 0.03
  /// It is in place after so many seconds.
  static let shortest = 1.0

  private var place: (antenna: Vector3, since: Timestamp)?

  /// Takes the antenna's position in at a range, world axes, metres.
  ///
  /// - Returns: whether it has been in place for `shortest`.
  mutating func observe(_ antenna: Vector3, at time: Timestamp) -> Bool {
    guard let place, (antenna - place.antenna).norm <= Self.radius else {
      place = (antenna, time)
      return false
    }
    return time.seconds(since: place.since) >= Self.shortest
  }
}
