import Geometry
import SensorData

/// Where a peer may be at one time: the modes of its posterior.
package struct PosteriorMoment: Equatable, Sendable {
  /// One place where it may be.
  package struct Place: Equatable, Sendable {
    /// Its probability, 0...1.
    package var share: Double
    /// Unit vector to it from the device, estimate's world.
    package var direction: Vector3
    /// Metres from the device.
    package var distance: Double
    /// 1-sigma of the direction, sideways and upwards, radians.
    package var sideways: Double
    package var upwards: Double

    /// A place from its parts.
    package init(share: Double, direction: Vector3, distance: Double, sideways: Double, upwards: Double) {
      self.share = share
      self.direction = direction
      self.distance = distance
      self.sideways = sideways
      self.upwards = upwards
    }
  }

  /// When.
  package var timestamp: Timestamp
  /// The likeliest first.
  package var places: [Place]

  /// A moment from its parts.
  package init(timestamp: Timestamp, places: [Place]) {
    self.timestamp = timestamp
    self.places = places
  }
}
