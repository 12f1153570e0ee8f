import Geometry

/// One IMU reading, in the IMU's axes S.
@frozen
public struct IMUSample: Equatable, Sendable {
  /// When it was measured.
  public var timestamp: Timestamp
  /// Angular rate, rad/s.
  public var angularVelocity: Vector3
  /// Specific force, m/s^2: +g upwards when stationary.
  public var specificForce: Vector3

  /// A reading from its parts.
  @inlinable public init(timestamp: Timestamp, angularVelocity: Vector3, specificForce: Vector3) {
    self.timestamp = timestamp
    self.angularVelocity = angularVelocity
    self.specificForce = specificForce
  }
}
