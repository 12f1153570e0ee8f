/// OpenCV's XML files (`cv::FileStorage`) as the YAML that they could have been, line by line: errors keep their lines, and
/// YAML's limits hold.
///
/// Elements are keys, elements named `_` are those of a list, several numbers are a list, and attributes mean nothing.
/// A document type, CDATA and a root other than `opencv_storage` are refused.
struct OpenCVStorage {
  private let bytes: [UInt8]
  private var at = 0, line = 1
  private var yaml: [UInt8] = []
  /// Deepest nesting of elements.
  private static let deepest = 16

  /// Whether a text is one of these files.
  static func isOne(_ text: String) -> Bool {
    let start = text.drop { $0.isWhitespace }
    return start.hasPrefix("<?xml") || start.hasPrefix("<opencv_storage")
  }

  /// The YAML of a text. O(n).
  static func yaml(of text: String) throws(YAMLText.Fault) -> String {
    var storage = OpenCVStorage(bytes: Array(text.utf8))
    try storage.skipMisc()
    let root = try storage.openTag()
    guard root.name == "opencv_storage" else {
      throw storage.fault("an XML file of <\(root.name.prefix(40))>", "OpenCV's: <opencv_storage>")
    }
    if root.isEmpty { storage.yaml += Array("{}".utf8) } else { try storage.content(of: root.name, level: 0) }
    try storage.skipMisc()
    guard storage.at == storage.bytes.count else { throw storage.fault("text after </opencv_storage>", "nothing") }
    return String(decoding: storage.yaml, as: UTF8.self)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func fault(_ found: String, _ expected: String) -> YAMLText.Fault {
    YAMLText.Fault(line: line, found: found, expected: expected)
  }

  private func isNext(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { at + $0.count <= bytes.count && bytes[at..<at + $0.count].elementsEqual($0) }
  }

  /// Takes a byte; the end of a line ends one of the YAML, too.
  private mutating func advance() {
    if bytes[at] == 0x0A {
      line += 1
      yaml.append(0x0A)
    }
    at += 1
  }

  private mutating func skip(past end: StaticString) throws(YAMLText.Fault) {
    while at < bytes.count, !isNext(end) { advance() }
    guard at < bytes.count else { throw fault("an XML file that ends early", "\(end)") }
    at += end.utf8CodeUnitCount
  }

  /// Skips blanks, comments and declarations.
  private mutating func skipMisc() throws(YAMLText.Fault) {
    while at < bytes.count {
      if bytes[at] <= 0x20 {
        advance()
      } else if isNext("<!--") {
        try skip(past: "-->")
      } else if isNext("<?") {
        try skip(past: "?>")
      } else {
        return
      }
    }
  }

  /// A tag that opens an element; its attributes are skipped.
  private mutating func openTag() throws(YAMLText.Fault) -> (name: String, isEmpty: Bool) {
    guard at < bytes.count, bytes[at] == UInt8(ascii: "<"), !isNext("<!"), !isNext("</") else {
      throw fault("no element", "<name>")
    }
    at += 1
    let start = at
    while at < bytes.count, Self.isName(bytes[at]) { at += 1 }
    let name = String(decoding: bytes[start..<at], as: UTF8.self)
    guard !name.isEmpty else { throw fault("a tag without a name", "<name>") }
    var quote: UInt8?
    while at < bytes.count, quote != nil || bytes[at] != UInt8(ascii: ">") {
      if bytes[at] == quote {
        quote = nil
      } else if quote == nil, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") {
        quote = bytes[at]
      }
      advance()
    }
    guard at < bytes.count else { throw fault("a tag <\(name.prefix(40)) that does not end", ">") }
    at += 1
    return (name, bytes[at - 2] == UInt8(ascii: "/"))
  }

  /// What stands between a tag and its end, which is taken too.
  private mutating func content(of name: String, level: Int) throws(YAMLText.Fault) {
    guard level < Self.deepest else { throw fault("elements nested \(Self.deepest) deep", "plain lists") }
    let start = yaml.count
    try skipMisc()
    guard at < bytes.count else {
      throw fault("an XML file that ends within <\(name.prefix(40))>", "</\(name.prefix(40))>")
    }
    if isNext("<"), !isNext("</") {
      try elements(level: level, from: start)
    } else {
      try text(from: start)
    }
    let end = Array("</\(name)".utf8)
    guard at + end.count <= bytes.count, bytes[at..<at + end.count].elementsEqual(end) else {
      throw fault("no end of <\(name.prefix(40))> here", "</\(name.prefix(40))>")
    }
    at += end.count
    while at < bytes.count, bytes[at] <= 0x20 { advance() }
    guard at < bytes.count, bytes[at] == UInt8(ascii: ">") else { throw fault("a tag that does not end", ">") }
    at += 1
  }

  /// - Parameter start: of the value in the YAML: on the line of the tag.
  private mutating func elements(level: Int, from start: Int) throws(YAMLText.Fault) {
    yaml.insert(UInt8(ascii: "{"), at: start)
    var isList: Bool?
    while isNext("<"), !isNext("</") {
      let element = try openTag()
      guard isList ?? (element.name == "_") == (element.name == "_") else {
        throw fault("<_> beside <\(element.name.prefix(40))>", "a list or keys")
      }
      isList = element.name == "_"
      if element.name != "_" { yaml += Array("\"\(element.name)\": ".utf8) }
      if element.isEmpty { yaml += Array("\"\"".utf8) } else { try content(of: element.name, level: level + 1) }
      yaml += [UInt8(ascii: ","), 0x20]
      try skipMisc()
    }
    if isList == true { yaml[start] = UInt8(ascii: "[") }
    yaml.append(UInt8(ascii: isList == true ? "]" : "}"))
  }

  /// A text, a number, or a list of numbers.
  private mutating func text(from start: Int) throws(YAMLText.Fault) {
    if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
      at += 1
      var value: [UInt8] = []
      while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "<") {
        value.append(bytes[at])
        at += 1
      }
      if at < bytes.count, bytes[at] == UInt8(ascii: "\"") { at += 1 }
      quote(value)
      line += value.count { $0 == 0x0A }
      return try skipMisc()
    }
    var count = 0
    yaml.insert(UInt8(ascii: "["), at: start)
    while at < bytes.count, bytes[at] != UInt8(ascii: "<") {
      if bytes[at] <= 0x20 {
        advance()
        continue
      }
      let begin = at
      while at < bytes.count, bytes[at] > 0x20, bytes[at] != UInt8(ascii: "<") { at += 1 }
      if count > 0 { yaml += [UInt8(ascii: ","), 0x20] }
      quote(Array(bytes[begin..<at]))
      count += 1
    }
    guard count != 1 else {
      yaml[start] = 0x20
      return
    }
    yaml.append(UInt8(ascii: "]"))
  }

  /// A text in double quotes, on one line of the YAML for every line that it has.
  private mutating func quote(_ value: [UInt8]) {
    yaml.append(UInt8(ascii: "\""))
    for byte in value {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { yaml.append(UInt8(ascii: "\\")) }
      yaml.append(byte)
    }
    yaml.append(UInt8(ascii: "\""))
  }

  private static func isName(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
  }
}
