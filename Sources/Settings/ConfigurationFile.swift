import Datasets
import Foundation
import JSONText
import PrecisionFinding
import Wording
import Yams

/// `--config <file.yaml>`: settings of the finder, each key at most once, unknown keys an error.
package enum ConfigurationFile {
  /// A fault in a file: `file:line: found, expected`.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// The file.
    package var file: String
    /// The line, from 1.
    package var line: Int
    /// What was found and what was expected.
    package var problem: String

    package var description: String { "\(file):\(line): \(problem)" }
  }

  /// The defaults, overridden by a file's settings.
  package static func read(_ path: String) throws -> FinderConfiguration {
    try parse(try RegularFile.text(path), file: path)
  }

  /// The same from text; `file` is used in error messages only.
  package static func parse(_ text: String, file: String) throws -> FinderConfiguration {
    var configuration = FinderConfiguration()
    let root: Node?
    do { root = try YAMLText.compose(text) } catch {
      throw Fault(
        file: file, line: error.line ?? 1,
        problem: "found \(error.found), expected settings such as 'reorderWindow: 0.05'")
    }
    guard let root, !isEmpty(root) else { return configuration }
    try apply(root, prefix: "", file: file, to: &configuration)
    try checkOrder(configuration, root, file: file)
    return configuration
  }

  /// A vertical class with a higher threshold to drop than to decide would toggle with every update.
  private static func checkOrder(_ configuration: FinderConfiguration, _ root: Node, file: String) throws {
    guard configuration.verticalDrop > configuration.verticalDecision else { return }
    let line = ["verticalDrop", "verticalDecision"].compactMap { name in
      root.mapping?.first { $0.key.string == name }?.key.mark?.line
    }
    throw Fault(
      file: file, line: line.first ?? 1,
      problem: "verticalDrop: found \(configuration.verticalDrop), expected at most verticalDecision, "
        + "\(configuration.verticalDecision)")
  }

  /// A configuration as in `result.json`: every key with the value in effect.
  package static func effective(_ configuration: FinderConfiguration) -> JSONValue {
    .object(ConfigurationKey.all.map { JSONValue.Member(key: $0.name, value: value(of: $0, in: configuration)) })
  }

  /// The names of settings that differ from the defaults.
  package static func changes(in configuration: FinderConfiguration) -> [String] {
    let defaults = FinderConfiguration()
    return ConfigurationKey.all.filter { value(of: $0, in: configuration) != value(of: $0, in: defaults) }.map(\.name)
  }

  private static func value(of key: ConfigurationKey, in configuration: FinderConfiguration) -> JSONValue {
    switch key.kind {
    case .number(let path, _): .number(configuration[keyPath: path])
    case .integer(let path, _): .integer(configuration[keyPath: path])
    case .flag(let path): .bool(configuration[keyPath: path])
    case .pairs(let path, _): .array(configuration[keyPath: path].map { .array([.number($0.x), .number($0.y)]) })
    }
  }

  private static func apply(
    _ node: Node, prefix: String, file: String, to configuration: inout FinderConfiguration
  ) throws {
    guard case .mapping(let mapping) = node else {
      throw Fault(file: file, line: node.mark?.line ?? 1, problem: "found no 'key: value', expected settings")
    }
    for (keyNode, value) in mapping {
      let line = keyNode.mark?.line ?? 1
      let name = prefix + (keyNode.string ?? "")
      if let key = ConfigurationKey.all.first(where: { $0.name == name }) {
        try set(key, value, file: file, line: line, in: &configuration)
      } else if ConfigurationKey.all.contains(where: { $0.name.hasPrefix(name + ".") }) {
        try apply(value, prefix: name + ".", file: file, to: &configuration)
      } else {
        let near = Spelling.suggestion(for: name, among: ConfigurationKey.all.map(\.name))
        throw Fault(
          file: file, line: line,
          problem: "found the unknown key '\(name)'\(near), expected one of 'fuse config --list'")
      }
    }
  }

  private static func set(
    _ key: ConfigurationKey, _ value: Node, file: String, line: Int, in configuration: inout FinderConfiguration
  ) throws {
    let found = value.scalar.map { "'\($0.string)'" } ?? "a list or a section"
    func fault(_ expected: String) -> Fault {
      Fault(file: file, line: line, problem: "\(key.name): found \(found), expected \(expected)")
    }
    switch key.kind {
    case .number(let path, let range):
      guard let text = value.scalar?.string, let number = Double(text), range.contains(number) else {
        throw fault("a number from \(range.lowerBound) to \(range.upperBound)")
      }
      configuration[keyPath: path] = number
    case .integer(let path, let range):
      guard let text = value.scalar?.string, let number = Int(text), range.contains(number) else {
        throw fault("a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      configuration[keyPath: path] = number
    case .flag(let path):
      guard let text = value.scalar?.string, let flag = Bool(text) else { throw fault("true or false") }
      configuration[keyPath: path] = flag
    case .pairs(let path, let range):
      let expected = fault("a list of pairs of numbers from \(range.lowerBound) to \(range.upperBound)")
      guard let list = value.sequence, !list.isEmpty else { throw expected }
      configuration[keyPath: path] = try list.map { element in
        let numbers = element.sequence?.compactMap { $0.scalar.flatMap { Double($0.string) } } ?? []
        guard numbers.count == 2, numbers.allSatisfy(range.contains) else { throw expected }
        return SIMD2(numbers[0], numbers[1])
      }
    }
  }

  private static func isEmpty(_ node: Node) -> Bool { node.scalar?.string.isEmpty ?? false }
}

/// Every setting of a `--config` file as such a file: its default, and above it unit, permitted values and meaning.
package enum ConfigurationListing {
  /// The lines, at most `width` characters long where words can be broken. Reading them gives the defaults.
  ///
  /// - Parameter keys: those that are listed, all of one section together.
  package static func lines(of keys: [ConfigurationKey] = ConfigurationKey.all, width: Int = 80) -> [String] {
    var lines: [String] = []
    var section = ""
    for key in keys {
      let parts = key.name.split(separator: ".").map(String.init)
      let indent = String(repeating: "  ", count: parts.count - 1)
      if !lines.isEmpty { lines.append("") }
      if parts.count > 1, parts[0] != section { lines.append("\(parts[0]):") }
      section = parts.count > 1 ? parts[0] : ""
      let quantity = [key.unit, key.permitted].filter { !$0.isEmpty }.joined(separator: ", ")
      lines += WrappedText.lines("\(key.meaning) [\(quantity)]", width: width - indent.count - 2).map {
        indent + "# " + $0
      }
      lines.append("\(indent)\(parts.last ?? ""): \(key.defaultText)")
    }
    return lines
  }

  /// The keys with `words` in their name or section, whatever its case.
  package static func keys(matching words: String) -> [ConfigurationKey] {
    ConfigurationKey.all.filter { $0.name.lowercased().contains(words.lowercased()) }
  }
}

extension ConfigurationKey {
  /// Its permitted values.
  package var permitted: String {
    switch kind {
    case .number(_, let range): "\(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
    case .integer(_, let range): "\(range.lowerBound) to \(range.upperBound)"
    case .flag: "true or false"
    case .pairs(_, let range): "pairs of \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
    }
  }

  /// Its default as YAML; numbers have all their digits.
  package var defaultText: String {
    let defaults = FinderConfiguration()
    return switch kind {
    case .number(let path, _): Self.short(defaults[keyPath: path])
    case .integer(let path, _): "\(defaults[keyPath: path])"
    case .flag(let path): "\(defaults[keyPath: path])"
    case .pairs(let path, _):
      "[" + defaults[keyPath: path].map { "[\(Self.short($0.x)), \(Self.short($0.y))]" }.joined(separator: ", ") + "]"
    }
  }

  /// A whole number without its point.
  private static func short(_ value: Double) -> String {
    Int(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}
