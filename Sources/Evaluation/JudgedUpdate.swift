import Geometry
import SensorData

/// What the judge needs of one update: the published values, whoever made them.
package struct JudgedUpdate: Equatable, Sendable {
  /// When.
  package var timestamp: Timestamp
  /// Metres.
  package var distance: Double?
  /// The published angle, radians.
  package var horizontalAngle: Double?
  /// Its 90 % interval, radians.
  package var horizontalAngleInterval: ClosedRange<Double>?
  /// `unknown`, `same`, `above`, `below`, `aboveOrBelow`.
  package var verticalDirectionEstimate: String
  /// The peer in the estimate's world, metres.
  package var worldPosition: Vector3?
  /// Whether the status was `converged`.
  package var isConverged: Bool

  /// An update from its parts.
  package init(
    timestamp: Timestamp, distance: Double? = nil, horizontalAngle: Double? = nil,
    horizontalAngleInterval: ClosedRange<Double>? = nil, verticalDirectionEstimate: String = "unknown",
    worldPosition: Vector3? = nil, isConverged: Bool = false
  ) {
    self.timestamp = timestamp
    self.distance = distance
    self.horizontalAngle = horizontalAngle
    self.horizontalAngleInterval = horizontalAngleInterval
    self.verticalDirectionEstimate = verticalDirectionEstimate
    self.worldPosition = worldPosition
    self.isConverged = isConverged
  }
}
