import Geometry
import JSONText
import SensorData

/// One line of `updates.jsonl`, as values: a peer's update, or a change of the session itself (`peer` nil).
package struct UpdateRecord: Equatable, Sendable {
  /// An angle and its 90 % interval, radians.
  package struct AngleEstimate: Equatable, Sendable {
    /// 0 ahead, positive right, (-pi, pi].
    package var value: Double
    /// 1-sigma.
    package var standardDeviation: Double
    /// Lower end of the interval.
    package var low: Double
    /// Upper end of the interval, not below `low`; may pass pi.
    package var high: Double

    /// An angle from its parts.
    package init(value: Double, standardDeviation: Double, low: Double, high: Double) {
      self.value = value
      self.standardDeviation = standardDeviation
      self.low = low
      self.high = high
    }
  }

  /// When.
  package var timestamp: Timestamp
  /// The peer; nil for the session.
  package var peer: String?
  /// Distance from the device's origin, metres.
  package var distance: Double?
  /// 1-sigma, metres.
  package var distanceStandardDeviation: Double?
  /// Unit vector in device axes.
  package var direction: Vector3?
  /// Azimuth from straight ahead.
  package var horizontalAngle: AngleEstimate?
  /// `unknown`, `same`, `above`, `below`, `aboveOrBelow`; nil for the session.
  package var verticalDirectionEstimate: String?
  /// The peer in the estimate's world, metres; nil until it is accurate enough.
  package var worldPosition: Vector3?
  /// Its covariance, m^2.
  package var positionCovariance: Matrix3?
  /// `precise`, `drifting`, `imprecise`; nil for the session.
  package var quality: String?
  /// `unknown`, `notConverged`, `converged`.
  package var status: String
  /// Most important first.
  package var reasons: [String]
  /// The instruction to the user.
  package var guidance: String?
  /// Further values; written sorted by name.
  package var details: [String: JSONValue]

  /// A line with only time, subject and status.
  package init(
    timestamp: Timestamp, peer: String?, status: String, reasons: [String] = [], guidance: String? = nil,
    details: [String: JSONValue] = [:]
  ) {
    self.timestamp = timestamp
    self.peer = peer
    self.status = status
    self.reasons = reasons
    self.guidance = guidance
    self.details = details
  }

  /// Appends the line, with its line break, in the fixed order of keys.
  package func write(to json: inout JSONWriter) {
    json.raw("{\"timestamp\":")
    json.integer(timestamp.nanoseconds)
    json.raw(",\"peer\":")
    json.string(peer)
    writeGeometry(to: &json)
    json.raw(",\"quality\":")
    json.string(quality)
    json.raw(",\"convergence\":{\"status\":")
    json.string(status)
    json.raw(",\"reasons\":")
    json.value(.array(reasons.map { .string($0) }))
    json.raw("},\"guidance\":")
    json.string(guidance)
    json.raw(",\"details\":")
    json.value(.sorted(details))
    json.raw("}\n")
  }

  private func writeGeometry(to json: inout JSONWriter) {
    json.raw(",\"distance\":")
    json.number(distance)
    json.raw(",\"distanceStd\":")
    json.number(distanceStandardDeviation)
    json.raw(",\"direction\":")
    if let direction { json.numbers([direction.x, direction.y, direction.z]) } else { json.raw("null") }
    json.raw(",\"horizontalAngle\":")
    json.number(horizontalAngle?.value)
    json.raw(",\"horizontalAngleStd\":")
    json.number(horizontalAngle?.standardDeviation)
    json.raw(",\"horizontalAngleInterval\":")
    if let angle = horizontalAngle { json.numbers([angle.low, angle.high]) } else { json.raw("null") }
    json.raw(",\"verticalDirectionEstimate\":")
    json.string(verticalDirectionEstimate)
    json.raw(",\"worldTransform\":")
    if let p = worldPosition {
      // A peer has a position and no attitude: the rotation part is the identity.
      json.numbers([1, 0, 0, p.x, 0, 1, 0, p.y, 0, 0, 1, p.z, 0, 0, 0, 1])
    } else {
      json.raw("null")
    }
    json.raw(",\"positionCovariance\":")
    if let c = positionCovariance {
      json.numbers((0..<3).flatMap { row in (0..<3).map { column in c[row, column] } })
    } else {
      json.raw("null")
    }
  }
}
