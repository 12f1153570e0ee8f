import Geometry
import JSONText
import Wording
import Yams

/// A YAML file of one level of keys, or OpenCV's XML, read with file and line in every error.
///
/// OpenCV's first line `%YAML:1.0` is no YAML and is blanked, so lines keep their numbers.
package struct CalibrationFile {
  package let path: String
  /// First line of the keys: reported for missing keys; nil where the path names the place.
  private let line: Int?
  private let entries: [String: Node]

  /// Reads a whole file.
  package init(path: String) throws(DatasetError) {
    var text = try RegularFile.text(path)
    if text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) { text.unicodeScalars.removeFirst() }
    if text.hasPrefix("%YAML") {
      text.replaceSubrange(..<(text.firstIndex(where: \.isNewline) ?? text.endIndex), with: "")
    }
    let root: Node?
    do throws(YAMLText.Fault) {
      root = try YAMLText.compose(OpenCVStorage.isOne(text) ? try OpenCVStorage.yaml(of: text) : text)
    } catch {
      throw DatasetError(file: path, line: error.line, found: error.found, expected: error.expected)
    }
    guard let root, case .mapping(let mapping) = root else {
      throw DatasetError(file: path, line: 1, found: "no keys", expected: "lines such as 'rate_hz: 20'")
    }
    self.init(path: path, mapping: mapping, line: 1)
  }

  init(path: String, mapping: Node.Mapping, line: Int?) {
    self.path = path
    self.line = line
    var entries: [String: Node] = [:]
    for (key, value) in mapping { if let name = key.scalar?.string { entries[name] = value } }
    self.entries = entries
  }

  /// The keys, sorted.
  package var keys: [String] { entries.keys.sorted() }

  /// Whether there are keys below a key.
  package func hasSection(_ key: String) -> Bool { entries[key]?.mapping != nil }

  /// Whether there is a list at a key.
  package func isList(_ key: String) -> Bool { entries[key]?.sequence != nil }

  /// The part below a key, if the key is there.
  package func section(_ key: String) throws(DatasetError) -> CalibrationFile? {
    guard let node = entries[key] else { return nil }
    guard case .mapping(let mapping) = node else { throw fault(key, found: "no keys below \(key)", expected: "keys") }
    return CalibrationFile(path: path, mapping: mapping, line: node.mark?.line ?? line)
  }

  /// The parts of a list of sections; empty where the key is absent.
  package func sections(_ key: String) throws(DatasetError) -> [CalibrationFile] {
    guard let node = entries[key] else { return [] }
    guard let list = node.sequence else { throw fault(key, found: "no list at \(key)", expected: "a list of sections") }
    var sections: [CalibrationFile] = []
    for element in list {
      guard case .mapping(let mapping) = element else {
        throw fault(key, found: "\(key) with an element that has no keys", expected: "a list of sections")
      }
      sections.append(CalibrationFile(path: path, mapping: mapping, line: element.mark?.line ?? line))
    }
    return sections
  }

  /// A fault at a key.
  package func fault(_ key: String, found: String, expected: String) -> DatasetError {
    DatasetError(file: path, line: entries[key]?.mark?.line ?? line, found: found, expected: expected)
  }

  /// Warnings for keys beyond `known`; an error for a probable misspelling.
  func check(known: [String]) throws(DatasetError) -> [String] {
    let absent = known.filter { entries[$0] == nil }
    var warnings: [String] = []
    for key in keys where !known.contains(key) {
      if let intended = Spelling.intended(key, among: absent) {
        throw fault(key, found: "key '\(key)'", expected: "'\(intended)' (misspelt?)")
      }
      let line = entries[key]?.mark.map { ":\($0.line)" } ?? ""
      warnings.append("\(path)\(line): key '\(key.prefix(64))' is not known and not used")
    }
    return warnings
  }

  // MARK: values

  /// A text; nil where the key is absent or empty.
  package func text(_ key: String) throws(DatasetError) -> String? {
    guard let node = entries[key] else { return nil }
    guard let scalar = node.scalar else { throw fault(key, found: "\(key) is no single value", expected: "a text") }
    return scalar.string.isEmpty || scalar.string == "~" || scalar.string == "null" ? nil : scalar.string
  }

  /// A list of texts; nil where the key is absent.
  package func texts(_ key: String) throws(DatasetError) -> [String]? {
    guard let node = entries[key] else { return nil }
    guard let texts = node.sequence?.map({ $0.scalar?.string }), texts.allSatisfy({ $0 != nil }) else {
      throw fault(key, found: "\(key): \(Self.shown(node))", expected: "a list of texts")
    }
    return texts.compactMap { $0 }
  }

  /// A finite number in a range, or nil where the key is absent.
  package func number(
    _ key: String, _ what: String, in bounds: ClosedRange<Double>
  ) throws(DatasetError) -> Double? {
    guard let node = entries[key] else { return nil }
    guard let text = node.scalar?.string, case .number(let value) = NumberText.double(text), bounds.contains(value)
    else { throw fault(key, found: "\(key): \(Self.shown(node))", expected: what) }
    return value
  }

  /// The same for a required key.
  package func neededNumber(_ key: String, _ what: String, in bounds: ClosedRange<Double>) throws(DatasetError)
    -> Double
  {
    guard let value = try number(key, what, in: bounds) else {
      throw fault(key, found: "no key \(key)", expected: "\(key): \(what)")
    }
    return value
  }

  /// A list of finite numbers, rows of a matrix one after the other; nil where the key is absent.
  package func numbers(_ key: String, _ what: String) throws(DatasetError) -> [Double]? {
    guard let node = entries[key] else { return nil }
    guard let values = Self.flattened(node) else {
      throw fault(key, found: "\(key): \(Self.shown(node))", expected: what)
    }
    return values
  }

  private static func flattened(_ node: Node) -> [Double]? {
    switch node {
    case .scalar(let scalar):
      guard case .number(let value) = NumberText.double(scalar.string) else { return nil }
      return [value]
    case .sequence(let sequence):
      var all: [Double] = []
      for element in sequence {
        guard all.count <= 1000, let values = flattened(element) else { return nil }
        all += values
      }
      return all
    case .mapping(let mapping):
      return mapping["data"].flatMap(flattened)  // OpenCV's and EuRoC's matrices: rows, cols, data
    case .alias: return nil
    }
  }

  private static func shown(_ node: Node) -> String {
    switch node {
    case .scalar(let scalar): "'\(scalar.string.prefix(40))'"
    case .sequence(let sequence): "a list of \(sequence.count), not all finite numbers"
    case .mapping: "keys"
    case .alias: "an alias"
    }
  }

  /// A rigid transform from 16 numbers, row by row, bare or under `data`; nil where the key is absent.
  ///
  /// Rotations orthonormal within 1e-3, as in rounded calibrations, are orthonormalised; a singular, skewed or
  /// reflected matrix is an error. A key `q_BS` beside `T_BS` (w, x, y, z) has the rotation to the last bit, which a
  /// matrix has not; it must be the matrix's within 1e-3.
  package func pose(_ key: String) throws(DatasetError) -> Pose? {
    let what = "a rigid transform of 16 numbers"
    guard let numbers = try numbers(key, what) else { return nil }
    let pose: Pose
    do throws(Pose.RigidTransformFault) {
      pose = try Pose(rigidTransform: numbers)
    } catch {
      let orthonormal = "\(key) with orthonormal axes and determinant 1"
      switch error {
      case .count(let count): throw fault(key, found: "\(key) of \(count) numbers", expected: what)
      case .lastRow(let row):
        throw fault(
          key, found: "\(key) with last row \(row[0]) \(row[1]) \(row[2]) \(row[3])", expected: "last row 0 0 0 1")
      case .singular: throw fault(key, found: "\(key) is singular (determinant 0)", expected: orthonormal)
      case .reflection: throw fault(key, found: "\(key) is a reflection (determinant < 0)", expected: orthonormal)
      case .skewed(let skew):
        throw fault(
          key, found: "\(key) is no rotation (its axes are off by \(Self.rounded(skew)))", expected: orthonormal)
      case .leverArm(let arm):
        throw fault(key, found: "\(key) with a lever arm of \(Self.rounded(arm)) m", expected: "less than 1 km")
      }
    }
    guard key.hasSuffix("T_BS"), let exact = try rotation(String(key.dropLast(4)) + "q_BS", near: pose.rotation)
    else {
      return pose
    }
    return Pose(rotation: exact, translation: pose.translation)
  }

  private func rotation(_ key: String, near rough: Rotation) throws(DatasetError) -> Rotation? {
    let what = "the quaternion w, x, y, z of the rotation in T_BS"
    guard let q = try numbers(key, what) else { return nil }
    guard q.count == 4, Rotation.isUnit(q[0], Vector3(q[1], q[2], q[3])) else {
      throw fault(key, found: "\(key): \(q)", expected: what)
    }
    let exact = Rotation(w: q[0], x: q[1], y: q[2], z: q[3])
    let difference = (rough.inverse * exact).log.norm
    guard difference < 1e-3 else {
      throw fault(key, found: "\(key) \(Self.rounded(difference)) rad off the matrix", expected: what)
    }
    return exact
  }

  private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}
