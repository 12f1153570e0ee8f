import Geometry
import JSONText
import SensorData

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
