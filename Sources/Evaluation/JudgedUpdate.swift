import Geometry
import SensorData

/// The published values of one update that are evaluated.
package struct JudgedUpdate: Equatable, Sendable {
  /// When.
  package var timestamp: Timestamp
  /// Metres.
  package var distance: Double?
  /// Its 1-sigma, metres.
  package var distanceStandardDeviation: Double?
  /// The published angle, radians.
  package var horizontalAngle: Double?
  /// Its 90 % interval, radians.
  package var horizontalAngleInterval: ClosedRange<Double>?
  /// `unknown`, `same`, `above`, `below`, `aboveOrBelow`.
  package var verticalDirectionEstimate: String
  /// The peer in the estimate's world, metres.
  package var worldPosition: Vector3?
  /// Its covariance, m^2.
  package var positionCovariance: Matrix3?
  /// `unknown`, `notConverged`, `converged`.
  package var status: String
  /// Most important first.
  package var reasons: [String]
  /// Use of the update's range: `used`, `rejected`, `kept`; nil for an update without one.
  package var rangeUse: String?
  /// Whether the status was `converged`.
  package var isConverged: Bool { status == "converged" }

  /// An update from its parts.
  package init(
    timestamp: Timestamp, distance: Double? = nil, distanceStandardDeviation: Double? = nil,
    horizontalAngle: Double? = nil,
    horizontalAngleInterval: ClosedRange<Double>? = nil, verticalDirectionEstimate: String = "unknown",
    worldPosition: Vector3? = nil, positionCovariance: Matrix3? = nil, status: String = "notConverged",
    reasons: [String] = [], rangeUse: String? = nil
  ) {
    self.timestamp = timestamp
    self.distance = distance
    self.distanceStandardDeviation = distanceStandardDeviation
    self.horizontalAngle = horizontalAngle
    self.horizontalAngleInterval = horizontalAngleInterval
    self.verticalDirectionEstimate = verticalDirectionEstimate
    self.worldPosition = worldPosition
    self.positionCovariance = positionCovariance
    self.status = status
    self.reasons = reasons
    self.rangeUse = rangeUse
  }
}
