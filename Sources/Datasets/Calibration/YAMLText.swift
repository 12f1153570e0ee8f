import Yams

/// The one way in which YAML is read: text from outside, with limits that keep a small file from costing much.
///
/// Aliases are refused, because a few lines of them expand to billions of values. So is deep nesting: a thousand levels
/// are the parser's own limit, sixteen the limit here.
package enum YAMLText {
  /// What is wrong with a text, and where.
  package struct Fault: Error, Equatable {
    /// From 1; nil where the parser names none.
    package var line: Int?
    /// What was found.
    package var found: String
    /// What was expected.
    package var expected: String
  }

  /// Deepest nesting of lists and sections.
  private static let deepest = 16

  /// The root of a text; nil for an empty one. O(n).
  package static func compose(_ text: String) throws(Fault) -> Node? {
    if let line = firstAlias(in: text) { throw Fault(line: line, found: "an alias (*)", expected: "plain values") }
    let root: Node?
    do { root = try Yams.compose(yaml: text) } catch { throw fault(error, in: text) }
    if let root { try checkDepth(root, level: 0) }
    return root
  }

  /// The line of the first `*name` whose `&name` stands before it; nil where there is none.
  ///
  /// Wherever both stand, in comments and quoted texts too: what is quoted only a parser knows, and it would have
  /// expanded the alias by then.
  private static func firstAlias(in text: String) -> Int? {
    var anchors: Set<[UInt8]> = []
    var line = 1
    var sign: UInt8?
    var name: [UInt8] = []
    var before: UInt8 = 0x0A
    func isNameByte(_ byte: UInt8) -> Bool {
      byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x5F
    }
    for byte in Array(text.utf8) + [0x0A] {
      if sign != nil {
        if isNameByte(byte) {
          name.append(byte)
        } else {
          if sign == 0x26 { anchors.insert(name) } else if anchors.contains(name) { return line }
          sign = nil
        }
      }
      // Within a word these signs mean nothing, as in R&D.
      if byte == 0x26 || byte == 0x2A, !isNameByte(before) || before == 0x2D { (sign, name) = (byte, []) }
      if byte == 0x0A { line += 1 }
      before = byte
    }
    return nil
  }

  private static func checkDepth(_ node: Node, level: Int) throws(Fault) {
    guard level < deepest else {
      throw Fault(line: node.mark?.line, found: "values nested \(deepest) deep", expected: "plain lists")
    }
    switch node {
    case .sequence(let sequence): for element in sequence { try checkDepth(element, level: level + 1) }
    case .mapping(let mapping):
      for (key, value) in mapping {
        try checkDepth(key, level: level + 1)
        try checkDepth(value, level: level + 1)
      }
    case .scalar, .alias: break
    }
  }

  private static func fault(_ error: any Error, in text: String) -> Fault {
    let expected = "YAML: lines such as 'rate_hz: 20'"
    switch error as? YamlError {
    case .scanner(_, let what, let mark, _)?, .parser(_, let what, let mark, _)?, .composer(_, let what, let mark, _)?:
      if what.contains("nesting level") {
        return Fault(line: mark.line, found: "values nested a thousand deep", expected: "plain lists")
      }
      return Fault(line: mark.line, found: "no YAML (\(what))", expected: expected)
    case .duplicatedKeysInMapping(let keys, let context)?:
      let names = keys.sorted().joined(separator: ", ").prefix(80)
      return Fault(line: context.mark.line, found: "a key twice (\(names))", expected: expected)
    case .reader(let what, _, _, _)?:
      // The parser's offset is of its buffer. What it refuses are control characters.
      let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      let line = lines.firstIndex { $0.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0D || $0 == 0x7F } }
      return Fault(line: line.map { $0 + 1 }, found: "no YAML (\(what))", expected: expected)
    default: return Fault(line: nil, found: "text that is no YAML", expected: expected)
    }
  }
}
