import Geometry
import Yams

/// The keys of one YAML mapping, read one by one; a key that is never read is an error with its line.
struct Fields {
  private let file: String
  private let line: Int?
  private let mapping: Node.Mapping
  private var known: [String] = []

  /// - Throws: `ScenarioError` when the node is not a mapping.
  init(_ node: Node, in file: String) throws(ScenarioError) {
    self.file = file
    line = node.mark?.line
    switch node {
    case .mapping(let mapping): self.mapping = mapping
    case .scalar(let scalar) where scalar.string.isEmpty: mapping = Node.Mapping([])
    default:
      throw ScenarioError(
        file: file, line: line, problem: "found a single value or a list, expected `key: value` lines")
    }
  }

  private mutating func node(_ key: String) -> Node? {
    known.append(key)
    return mapping.first { $0.key.string == key }?.value
  }

  private func fault(_ node: Node?, _ problem: String) -> ScenarioError {
    ScenarioError(file: file, line: node?.mark?.line ?? line, problem: problem)
  }

  private func number(_ node: Node, _ key: String, _ range: ClosedRange<Double>) throws(ScenarioError) -> Double {
    guard let text = node.scalar?.string, let value = Double(text), range.contains(value) else {
      let found = node.scalar.map { "'\($0.string)'" } ?? "no number"
      throw fault(node, "\(key) is \(found), expected a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The number at `key`, or nil where the key is absent.
  mutating func number(_ key: String, _ range: ClosedRange<Double>) throws(ScenarioError) -> Double? {
    guard let node = node(key) else { return nil }
    return try number(node, key, range)
  }

  /// The whole number at `key`, or nil where the key is absent.
  mutating func integer(_ key: String, _ range: ClosedRange<Int>) throws(ScenarioError) -> Int? {
    guard let node = node(key) else { return nil }
    guard let value = node.scalar.flatMap({ Int($0.string) }), range.contains(value) else {
      throw fault(node, "\(key) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The text at `key`, or nil where the key is absent.
  mutating func text(_ key: String) throws(ScenarioError) -> String? {
    guard let node = node(key) else { return nil }
    guard let text = node.scalar?.string, !text.isEmpty else { throw fault(node, "\(key) must be a text") }
    return text
  }

  /// The word at `key` as a case of an enumeration, or nil where the key is absent.
  mutating func choice<T: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ type: T.Type
  ) throws(ScenarioError) -> T? {
    guard let node = node(key) else { return nil }
    return try choice(node, key, type)
  }

  /// The list of words at `key` as cases of an enumeration, or nil where the key is absent.
  mutating func choices<T: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ type: T.Type
  ) throws(ScenarioError) -> [T]? {
    guard let node = node(key) else { return nil }
    guard let list = node.sequence else { throw fault(node, "\(key) must be a list of words") }
    var values: [T] = []
    for item in list { values.append(try choice(item, key, type)) }
    return values
  }

  private func choice<T: RawRepresentable<String> & CaseIterable>(
    _ node: Node, _ key: String, _ type: T.Type
  ) throws(ScenarioError) -> T {
    guard let value = node.scalar.flatMap({ T(rawValue: $0.string) }) else {
      let found = node.scalar.map { "'\($0.string)'" } ?? "no word"
      let expected = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw fault(node, "\(key) is \(found), expected one of \(expected)")
    }
    return value
  }

  /// `true` or `false` at `key`, or nil where the key is absent.
  mutating func flag(_ key: String) throws(ScenarioError) -> Bool? {
    guard let node = node(key) else { return nil }
    if let value = node.scalar.flatMap({ Bool($0.string) }) { return value }
    throw fault(node, "\(key) must be true or false")
  }

  /// True for a text that is valid as a name in a column of a table.
  static func isName(_ text: String) -> Bool {
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 && $0 != "," && $0 != "\"" }
    return isPlain && !text.isEmpty && text.first != " " && text.last != " "
  }

  /// The numbers at `key`, or nil where the key is absent.
  mutating func numbers(_ key: String, count: Int, _ range: ClosedRange<Double>) throws(ScenarioError) -> [Double]? {
    guard let node = node(key) else { return nil }
    guard let list = node.sequence, list.count == count else {
      throw fault(node, "\(key) must be a list of \(count) numbers")
    }
    var values: [Double] = []
    for item in list { values.append(try number(item, key, range)) }
    return values
  }

  /// The two numbers [least, largest] at `key`, or nil where the key is absent.
  mutating func interval(_ key: String, _ range: ClosedRange<Double>) throws(ScenarioError) -> ClosedRange<Double>? {
    guard let ends = try numbers(key, count: 2, range) else { return nil }
    guard ends[0] <= ends[1] else { throw refuse(key, "the least comes before the largest") }
    return ends[0]...ends[1]
  }

  /// The time interval from `from_s` to `to_s`, seconds; both are required.
  mutating func timeInterval() throws(ScenarioError) -> ClosedRange<Double> {
    let (from, to) = (try number("from_s", 0...3600), try number("to_s", 0...3600))
    guard let from else { throw missing("from_s") }
    guard let to else { throw missing("to_s") }
    guard from <= to else { throw refuse("to_s", "ends before it begins") }
    return from...to
  }

  /// The list of such time intervals at `key`, or nil where the key is absent.
  mutating func timeIntervals(_ key: String) throws(ScenarioError) -> [ClosedRange<Double>]? {
    try list(key) { f throws(ScenarioError) in try f.timeInterval() }
  }

  /// Three numbers at `key`, or nil where the key is absent.
  mutating func vector(_ key: String, _ range: ClosedRange<Double>) throws(ScenarioError) -> Vector3? {
    try numbers(key, count: 3, range).map { Vector3($0[0], $0[1], $0[2]) }
  }

  /// The section at `key`, read by `read`; nil where the key is absent.
  mutating func section<T>(
    _ key: String, _ read: (inout Fields) throws(ScenarioError) -> T
  ) throws(ScenarioError) -> T? {
    guard let node = node(key) else { return nil }
    return try Self.read(node, in: file, read)
  }

  /// Every entry of the list at `key`, read by `read`; nil where the key is absent.
  mutating func list<T>(
    _ key: String, _ read: (inout Fields) throws(ScenarioError) -> T
  ) throws(ScenarioError) -> [T]? {
    guard let node = node(key) else { return nil }
    guard let list = node.sequence else { throw fault(node, "\(key) must be a list: lines that begin with '-'") }
    var values: [T] = []
    for item in list { values.append(try Self.read(item, in: file, read)) }
    return values
  }

  /// The named vectors of the section at `key` (such as antennas), or nil where the key is absent.
  mutating func vectors(_ key: String, _ range: ClosedRange<Double>) throws(ScenarioError) -> [String: Vector3]? {
    let names = node(key)?.mapping?.compactMap(\.key.string) ?? []
    return try section(key) { fields throws(ScenarioError) in
      var result: [String: Vector3] = [:]
      for name in names { result[name] = try fields.vector(name, range) }
      return result
    }
  }

  /// True when the value at `key` is the bare word `none`: no such sensor.
  mutating func isNone(_ key: String) -> Bool { node(key)?.scalar?.string == "none" }

  /// The error for a required key that is absent.
  func missing(_ key: String) -> ScenarioError { fault(nil, "'\(key)' is missing") }

  /// The error for a value that is not among the allowed ones.
  func refuse(_ key: String, _ problem: String) -> ScenarioError {
    fault(mapping.first { $0.key.string == key }?.value, "\(key): \(problem)")
  }

  /// Reads a whole node and refuses the keys that `read` did not request.
  static func read<T>(
    _ node: Node, in file: String, _ read: (inout Fields) throws(ScenarioError) -> T
  ) throws(ScenarioError) -> T {
    var fields = try Fields(node, in: file)
    let value = try read(&fields)
    for (key, _) in fields.mapping where !fields.known.contains(key.string ?? "") {
      let expected = Set(fields.known).sorted().joined(separator: ", ")
      throw fields.fault(key, "unknown key '\(key.string ?? "?")', expected one of: \(expected)")
    }
    return value
  }
}

/// Why a scenario file cannot be used.
package struct ScenarioError: Error, Equatable, CustomStringConvertible {
  /// The file, as named by the caller.
  package let file: String
  /// Line of the fault, from 1; nil where the fault has no line.
  package let line: Int?
  /// What was found and what was expected, in one line.
  package let problem: String
  /// Whether nothing is wrong but the room, which the motion leaves.
  package let isThroughWall: Bool

  /// An error from its parts. `problem` may quote the file: control characters become blanks, and more than 1000
  /// characters are truncated.
  init(file: String, line: Int?, problem: String, isThroughWall: Bool = false) {
    self.file = file
    self.line = line
    self.isThroughWall = isThroughWall
    let isLong = problem.count > 1000
    let scalars = problem.prefix(1000).unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : Character($0) }
    self.problem = String(scalars) + (isLong ? "..." : "")
  }

  /// `file:line: problem`
  package var description: String { file + (line.map { ":\($0)" } ?? "") + ": " + problem }
}
