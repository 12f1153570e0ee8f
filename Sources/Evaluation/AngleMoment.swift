import Geometry
import SensorData

/// How good an angle was at one moment, and how good it was said to be.
package struct AngleMoment: Equatable, Sendable {
  /// From so long after the device began to move until so long after it, two who are given the same ranges are compared, seconds.
  static let compared = 2.0...12.0
  /// Where the ideal observer's 90 % half-width is at most this, an angle can be known, radians.
  static let knowable = Angle.degrees(15)
  /// An interval of at most this half-width is narrow, radians.
  static let narrow = Angle.degrees(10)

  /// When.
  package var timestamp: Timestamp
  /// Error of the angle, radians, not negative.
  package var error: Double
  /// Half the width of its 90 % interval, radians.
  package var halfWidth: Double

  /// A moment from its parts.
  package init(timestamp: Timestamp, error: Double, halfWidth: Double) {
    self.timestamp = timestamp
    self.error = error
    self.halfWidth = halfWidth
  }
}
