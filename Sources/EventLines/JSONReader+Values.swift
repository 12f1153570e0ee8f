import Datasets
import JSONText

/// Values of event lines.
extension JSONReader {
  /// When the event became known; nil for null.
  mutating func arrival() throws(TextFault) -> Int64? {
    passNull() ? nil : try integer("arrival: whole nanoseconds")
  }

  /// A number or null; a fault where it is not finite or out of bounds.
  mutating func number(
    within bounds: ClosedRange<Double>, _ fault: inout DamageKind?
  ) throws(TextFault) -> Double? {
    if passNull() { return nil }
    guard let value = try number() else {
      fault = .notFinite
      return nil
    }
    if !bounds.contains(value) { fault = fault ?? .outOfRange }
    return value
  }

  /// A text or null.
  mutating func text(_ what: String) throws(TextFault) -> String? { passNull() ? nil : try string(what) }

  /// A name or null; an empty one is none.
  mutating func name(_ key: String, _ what: String, _ fault: inout DamageKind?) throws(TextFault) -> String? {
    guard let name = try text("\(key): \(what)"), !name.isEmpty else { return nil }
    if !SensorBounds.isName(try Self.bounded(name, key)) { fault = .outOfRange }
    return name
  }

  /// A text whose length is part of the structure.
  mutating func boundedString(_ key: String) throws(TextFault) -> String {
    try Self.bounded(string("\(key): a text"), key)
  }

  private static func bounded(_ name: String, _ key: String) throws(TextFault) -> String {
    guard name.utf8.count <= LineParser.longestName else {
      throw TextFault(
        found: "\(key) of \(name.utf8.count) bytes", expected: "a name of at most \(LineParser.longestName)")
    }
    return name
  }

  /// A list of one kind of values.
  mutating func list<T>(
    _ what: String, _ read: (inout JSONReader) throws(TextFault) -> T
  ) throws(TextFault) -> [T] {
    try need(UInt8(ascii: "["), what)
    var values: [T] = []
    if pass(UInt8(ascii: "]")) { return values }
    values.reserveCapacity(128)
    repeat { values.append(try read(&self)) } while pass(UInt8(ascii: ","))
    try need(UInt8(ascii: "]"), "',' or ']': \(what)")
    return values
  }

  /// Numbers; one that is not finite is infinite.
  mutating func numbers(_ what: String) throws(TextFault) -> [Double] {
    try list(what) { reader throws(TextFault) in try reader.number() ?? .infinity }
  }

  /// An object.
  mutating func members() throws(TextFault) -> JSONValue {
    guard peek() == UInt8(ascii: "{") else { throw fault("an object") }
    return try value()
  }
}
