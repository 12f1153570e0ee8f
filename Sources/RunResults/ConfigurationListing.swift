import Datasets
import PrecisionFinding

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
