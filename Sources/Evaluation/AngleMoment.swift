import Geometry
import SensorData

/// Error and reported half-width of an angle at one moment.
package struct AngleMoment: Equatable, Sendable {
  /// Interval, in seconds after the device began to move, in which product and ideal observer are compared.
  static let comparisonInterval = 2.0...12.0
  /// The angle counts as observable where the ideal observer's 90 % half-width is at most this, radians.
  static let observableHalfWidth = Angle.degrees(15)
  /// An interval of at most this half-width is narrow, radians.
  static let narrowHalfWidth = Angle.degrees(10)

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
