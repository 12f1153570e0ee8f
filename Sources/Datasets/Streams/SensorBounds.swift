/// Bounds of measured values: a number outside is damage, in files and in event lines alike.
package enum SensorBounds {
  /// Angular rate of one axis, rad/s.
  package static let angularVelocity = -1e4...1e4
  /// Specific force along one axis, m/s^2.
  package static let specificForce = -1e5...1e5
  /// Position along one axis, metres.
  package static let position = -1e8...1e8
  /// Pixel of a feature.
  package static let pixel = -1e6...1e6
  /// Mean brightness, 0 black ... 1 white.
  package static let luma = 0.0...1
  /// Exposure time, nanoseconds.
  package static let exposure = 0...1e12
  /// A range, metres; below zero it is damage of its own kind.
  package static let range = -1e6...1e6
  /// 1-sigma of a range, metres.
  package static let rangeDeviation = 1e-9...1e6
  /// Azimuth, radians.
  package static let azimuth = -7.0...7
  /// Elevation, radians.
  package static let elevation = -1.6...1.6
  /// 1-sigma of an angle, radians.
  package static let angleDeviation = 1e-9...7
  /// Received power, dBm.
  package static let power = -1000.0...1000
  /// Probability of NLOS.
  package static let nlos = 0.0...1
  /// Whether a stamp, nanoseconds, is far enough from the ends of the clock that differences cannot overflow.
  package static func isStamp(_ value: Int64) -> Bool { value > -(1 << 62) && value < 1 << 62 }
  /// Whether a name can stand in a table: a text without commas, control characters or blanks around it.
  package static func isName(_ text: String) -> Bool {
    !text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2C } && text.utf8.first != 0x20 && text.utf8.last != 0x20
  }
}
