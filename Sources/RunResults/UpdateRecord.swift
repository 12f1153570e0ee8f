import Datasets
import Geometry
import JSONText
import PrecisionFinding
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
    json.value(.texts(reasons))
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

extension UpdateRecord {
  /// Why a line is no update, in words.
  package struct Fault: Error, Equatable {
    package var words: String
  }

  /// Metres, metres squared and radians beyond which a number is no result: computing with it overflows.
  private static let farthest = 1e9, largestVariance = 1e18, widest = 100.0

  /// A line of `updates.jsonl`, of any version: a missing key counts as null.
  ///
  /// - Throws: `Fault` also for numbers that no result has: distances and positions beyond 1e9 m, angles beyond 100 rad,
  ///   negative deviations, an interval whose low end is above its high end.
  package init(line: UnsafeBufferPointer<UInt8>) throws(Fault) {
    let value: JSONValue
    do { value = try JSONValue(line) } catch { throw Fault(words: "no JSON") }
    guard case .object(let members) = value else { throw Fault(words: "no object") }
    try self.init(Members(members))
  }

  private init(_ line: Members) throws(Fault) {
    let lengths = -Self.farthest...Self.farthest
    let angles = -Self.widest...Self.widest
    guard let time = line["timestamp"] else { throw Fault(words: "no timestamp") }
    guard case .integer(let nanoseconds) = time else { throw Members.another("timestamp") }
    var status = "unknown"
    var reasons: [String] = []
    if let convergence = line["convergence"] {
      guard case .object(let members) = convergence else { throw Members.another("convergence") }
      let fields = Members(members)
      guard let text = try fields.text("status") else { throw Fault(words: "no status") }
      guard case .array(let list)? = fields["reasons"] else { throw Fault(words: "no reasons") }
      status = text
      for reason in list {
        guard let text = reason.text else { throw Members.another("convergence.reasons") }
        reasons.append(text)
      }
    }
    var details: [String: JSONValue] = [:]
    if case .object(let members)? = line["details"] {
      for member in members { details[member.key] = member.value }
    }
    self.init(
      timestamp: Timestamp(nanoseconds: Int64(nanoseconds)), peer: try line.text("peer"), status: status,
      reasons: reasons, guidance: try line.text("guidance"), details: details)
    distance = try line.number("distance", 0...Self.farthest)
    distanceStandardDeviation = try line.number("distanceStd", 0...Self.farthest)
    direction = try line.numbers("direction", 3, -1.01...1.01).map { Vector3($0[0], $0[1], $0[2]) }
    if let value = try line.number("horizontalAngle", angles) {
      // An angle without an interval gets an empty one, which contains no true angle.
      let ends = try line.numbers("horizontalAngleInterval", 2, angles) ?? [value, value]
      guard ends[0] <= ends[1] else {
        throw Fault(words: "a low end above the high one in horizontalAngleInterval")
      }
      horizontalAngle = AngleEstimate(
        value: value, standardDeviation: try line.number("horizontalAngleStd", 0...Self.widest) ?? 0,
        low: ends[0], high: ends[1])
    }
    verticalDirectionEstimate = try line.text("verticalDirectionEstimate")
    worldPosition = try line.numbers("worldTransform", 16, lengths).map { Vector3($0[3], $0[7], $0[11]) }
    let variances = -Self.largestVariance...Self.largestVariance
    positionCovariance = try line.numbers("positionCovariance", 9, variances).map {
      Matrix3(rows: Vector3($0[0], $0[1], $0[2]), Vector3($0[3], $0[4], $0[5]), Vector3($0[6], $0[7], $0[8]))
    }
    quality = try line.text("quality")
  }
}

/// The members of an object, of known kinds; null counts as none.
private struct Members {
  private let members: [JSONValue.Member]

  init(_ members: [JSONValue.Member]) { self.members = members }

  subscript(key: String) -> JSONValue? {
    guard let value = members.first(where: { $0.key == key })?.value, value != .null else { return nil }
    return value
  }

  static func another(_ key: String) -> UpdateRecord.Fault { .init(words: "a value of another kind in \(key)") }

  func text(_ key: String) throws(UpdateRecord.Fault) -> String? {
    guard let value = self[key] else { return nil }
    guard let text = value.text else { throw Self.another(key) }
    return text
  }

  func number(_ key: String, _ bounds: ClosedRange<Double>) throws(UpdateRecord.Fault) -> Double? {
    guard let value = self[key] else { return nil }
    return try Self.number(value, key, bounds)
  }

  func numbers(_ key: String, _ count: Int, _ bounds: ClosedRange<Double>) throws(UpdateRecord.Fault) -> [Double]? {
    guard let value = self[key] else { return nil }
    guard case .array(let elements) = value else { throw Self.another(key) }
    guard elements.count == count else { throw .init(words: "\(elements.count) numbers in \(key)") }
    var numbers: [Double] = []
    for element in elements { numbers.append(try Self.number(element, key, bounds)) }
    return numbers
  }

  private static func number(
    _ value: JSONValue, _ key: String, _ bounds: ClosedRange<Double>
  ) throws(UpdateRecord.Fault) -> Double {
    guard let number = value.double else { throw another(key) }
    guard bounds.contains(number) else {
      throw .init(words: "\(number) in \(key), which goes from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
  }
}

/// Reads `updates.jsonl` line by line: memory does not grow with the file.
package final class UpdateReader {
  private let lines: LineReader

  /// Opens the file of a run's folder.
  package init(folder: String) throws(DatasetError) {
    lines = try LineReader(path: "\(folder)/\(RunFileNames.updates)")
  }

  /// The next update; nil at the end.
  ///
  /// - Throws: `DatasetError` with file and line for a line that is no update.
  package func next() throws(DatasetError) -> UpdateRecord? {
    while let line = try lines.next() {
      if line.isEmpty { continue }
      do { return try UpdateRecord(line: line) } catch {
        throw DatasetError(file: lines.path, line: lines.line, found: error.words, expected: "an update as JSON")
      }
    }
    return nil
  }

  /// The line last read, from 1.
  package var line: Int { lines.line }
  /// The file.
  package var path: String { lines.path }
}

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
    case .list(let words): self = .texts(words)
    case .obstacles(let found):
      self = .object(found.map { JSONValue.Member(key: $0.code, value: .number($0.progress)) })
    }
  }
}
