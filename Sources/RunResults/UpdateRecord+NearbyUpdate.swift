import Datasets
import JSONText
import PrecisionFinding

extension UpdateRecord {
  /// The line of an output; nil for a pose, which has none.
  package init?(_ output: FinderOutput) {
    switch output {
    case .update(let update): self.init(update)
    case .session(let session): self.init(session)
    case .pose: return nil
    }
  }

  /// The line of a peer's update.
  package init(_ update: NearbyUpdate) {
    let object = update.object
    self.init(
      timestamp: update.timestamp, peer: object.peer, status: update.convergence.status.rawValue,
      reasons: update.convergence.reasons.map(\.rawValue), guidance: update.guidance,
      details: update.details.mapValues(JSONValue.init))
    distance = object.distance
    distanceStandardDeviation = object.distanceStandardDeviation
    direction = object.direction
    horizontalAngle = object.horizontalAngle.map {
      AngleEstimate(value: $0.value, standardDeviation: $0.standardDeviation, low: $0.low, high: $0.high)
    }
    verticalDirectionEstimate = object.verticalDirectionEstimate.name
    worldPosition = object.worldPosition?.position
    positionCovariance = object.worldPosition?.covariance
    quality = object.quality.rawValue
  }

  /// The line of a change of the session.
  package init(_ session: SessionUpdate) {
    self.init(
      timestamp: session.timestamp, peer: nil, status: session.convergence.status.rawValue,
      reasons: session.convergence.reasons.map(\.rawValue), guidance: session.guidance,
      details: session.details.mapValues(JSONValue.init))
  }
}

extension JSONValue {
  /// A detail as JSON.
  package init(_ detail: NearbyUpdate.Detail) {
    switch detail {
    case .number(let value): self = .number(value)
    case .text(let text): self = .string(text)
    case .list(let words): self = .array(words.map { .string($0) })
    case .obstacles(let found):
      self = .object(found.map { JSONValue.Member(key: $0.code, value: .number($0.progress)) })
    }
  }
}
