import Datasets
import JSONText
import PrecisionFinding
import SensorData

/// The outcome of one peer, from its updates.
package struct PeerOutcome {
  /// Updates published.
  package private(set) var updates = 0
  /// Converged updates among them.
  package private(set) var convergedUpdates = 0
  /// When a distance was first published.
  package private(set) var firstDistance: Timestamp?
  /// When an angle was first published.
  package private(set) var firstAngle: Timestamp?
  /// When the status first was `converged`.
  package private(set) var firstConverged: Timestamp?
  /// When its angles of arrival were first inconsistent with its ranges.
  package private(set) var aoaInconsistent: Timestamp?
  /// Updates by the code of the open premise for which their arrow waits.
  private var waiting: [String: Int] = [:]
  /// The last update.
  package private(set) var last: NearbyUpdate?

  /// The code of a premise that stands against the peer: for which its arrow waits at the end, or waited in most of its
  /// updates; nil for none.
  package var openPremise: String? {
    if case .text(let code)? = last?.details["premise"] { return code }
    return waiting.sorted { $0.key < $1.key }.first { 2 * $0.value > updates }?.key
  }

  /// An outcome without updates.
  package init() {}

  /// Adds the next update.
  package mutating func add(_ update: NearbyUpdate) {
    updates += 1
    if update.object.distance != nil { firstDistance = firstDistance ?? update.timestamp }
    if update.object.horizontalAngle != nil { firstAngle = firstAngle ?? update.timestamp }
    if update.convergence.status == .converged {
      firstConverged = firstConverged ?? update.timestamp
      convergedUpdates += 1
    }
    if case .obstacles(let found)? = update.details["findings"],
      found.contains(where: { $0.obstacle == .aoaInconsistent })
    {
      aoaInconsistent = aoaInconsistent ?? update.timestamp
    }
    if case .text(let code)? = update.details["premise"] { waiting[code, default: 0] += 1 }
    last = update
  }

  /// As in `result.json`; times in seconds from `start`.
  package func json(start: Timestamp, summary: FinderSummary.Peer?) -> JSONValue {
    func seconds(_ time: Timestamp?) -> JSONValue { .number(time.map { $0.seconds(since: start) }) }
    return [
      "updates": .integer(updates), "convergedUpdates": .integer(convergedUpdates),
      "rangesUsed": .integer(summary?.rangesUsed ?? 0), "rangesRejected": .integer(summary?.rangesRejected ?? 0),
      "firstDistanceAt": seconds(firstDistance), "firstAngleAt": seconds(firstAngle),
      "convergedAt": seconds(firstConverged), "anglesAstrayAt": seconds(aoaInconsistent),
      "final": last.map { Self.final($0, start: start) } ?? .null,
    ]
  }

  private static func final(_ update: NearbyUpdate, start: Timestamp) -> JSONValue {
    let object = update.object
    let covariance = object.worldPosition?.covariance
    return [
      "time": .number(update.timestamp.seconds(since: start)),
      "distance": .number(object.distance), "distanceStd": .number(object.distanceStandardDeviation),
      "horizontalAngle": .number(object.horizontalAngle?.value),
      "horizontalAngleStd": .number(object.horizontalAngle?.standardDeviation),
      "horizontalAngleInterval": object.horizontalAngle.map { .array([.number($0.low), .number($0.high)]) } ?? .null,
      "verticalDirectionEstimate": .string(object.verticalDirectionEstimate.name),
      "position": object.worldPosition.map {
        .array([$0.position.x, $0.position.y, $0.position.z].map { .number($0) })
      }
        ?? .null,
      "positionCovariance": covariance.map { c in
        .array((0..<3).flatMap { row in (0..<3).map { .number(c[row, $0]) } })
      } ?? .null,
      "quality": .string(object.quality.rawValue), "status": .string(update.convergence.status.rawValue),
      "reasons": .array(update.convergence.reasons.map { .string($0.rawValue) }),
    ]
  }
}
