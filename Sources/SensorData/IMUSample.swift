import Geometry

/// One reading of the inertial unit, in its own axes S.
@frozen
public struct IMUSample: Equatable, Sendable {
  /// When it was measured.
  public var timestamp: Timestamp
  /// Angular rate, rad/s.
  public var angularVelocity: Vector3
  /// Specific force, m/s^2: +g upwards at rest.
  public var specificForce: Vector3

  /// A reading from its parts.
  @inlinable public init(timestamp: Timestamp, angularVelocity: Vector3, specificForce: Vector3) {
    self.timestamp = timestamp
    self.angularVelocity = angularVelocity
    self.specificForce = specificForce
  }
}
