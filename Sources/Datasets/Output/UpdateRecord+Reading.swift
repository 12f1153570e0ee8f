import Foundation
import Geometry
import SensorData

extension UpdateRecord: Decodable {
  private enum Key: String, CodingKey {
    case timestamp, peer, distance, distanceStd, direction, horizontalAngle, horizontalAngleStd, horizontalAngleInterval
    case verticalDirectionEstimate, worldTransform, positionCovariance, quality, convergence, guidance, details
  }

  private struct ConvergenceFields: Decodable {
    var status: String
    var reasons: [String]
  }

  /// A line of `updates.jsonl`, of any version: a missing key counts as null.
  package init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: Key.self)
    func list(_ key: Key, _ count: Int) throws -> [Double]? {
      guard let values = try line.decodeIfPresent([Double].self, forKey: key) else { return nil }
      guard values.count == count else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: line, debugDescription: "\(values.count) numbers in \(key.rawValue)")
      }
      return values
    }
    let convergence = try line.decodeIfPresent(ConvergenceFields.self, forKey: .convergence)
    var details: [String: JSONValue] = [:]
    if case .object(let members)? = try line.decodeIfPresent(JSONValue.self, forKey: .details) {
      for member in members { details[member.key] = member.value }
    }
    self.init(
      timestamp: Timestamp(nanoseconds: try line.decode(Int64.self, forKey: .timestamp)),
      peer: try line.decodeIfPresent(String.self, forKey: .peer), status: convergence?.status ?? "unknown",
      reasons: convergence?.reasons ?? [], guidance: try line.decodeIfPresent(String.self, forKey: .guidance),
      details: details)
    distance = try line.decodeIfPresent(Double.self, forKey: .distance)
    distanceStandardDeviation = try line.decodeIfPresent(Double.self, forKey: .distanceStd)
    direction = try list(.direction, 3).map { Vector3($0[0], $0[1], $0[2]) }
    if let value = try line.decodeIfPresent(Double.self, forKey: .horizontalAngle) {
      // An angle without an interval gets an empty one, which contains no true angle.
      let ends = try list(.horizontalAngleInterval, 2) ?? [value, value]
      horizontalAngle = AngleEstimate(
        value: value, standardDeviation: try line.decodeIfPresent(Double.self, forKey: .horizontalAngleStd) ?? 0,
        low: ends[0], high: ends[1])
    }
    verticalDirectionEstimate = try line.decodeIfPresent(String.self, forKey: .verticalDirectionEstimate)
    worldPosition = try list(.worldTransform, 16).map { Vector3($0[3], $0[7], $0[11]) }
    positionCovariance = try list(.positionCovariance, 9).map {
      Matrix3(rows: Vector3($0[0], $0[1], $0[2]), Vector3($0[3], $0[4], $0[5]), Vector3($0[6], $0[7], $0[8]))
    }
    quality = try line.decodeIfPresent(String.self, forKey: .quality)
  }
}
