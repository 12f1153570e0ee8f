import Foundation

/// A table in a page.
enum LabTable {
  /// What its columns hold: numbers, numbers but for the first one, texts.
  enum Columns { case numbers, named, texts }

  /// Its lines.
  static func lines(_ head: [String], _ rows: [[String]], _ columns: Columns = .numbers) -> [String] {
    let rules = head.indices.map { columns == .texts || columns == .named && $0 == 0 ? "---" : "---:" }
    return ["| \(head.joined(separator: " | ")) |", "|\(rules.joined(separator: "|"))|"]
      + rows.map { "| \($0.joined(separator: " | ")) |" }
  }
}

/// Numbers as Python's formats spell them, for files and pages that are compared byte by byte: "-0.00" stays.
enum Digits {
  /// With a fixed count of decimals.
  static func fixed(_ value: Double, _ decimals: Int) -> String { String(format: "%.\(decimals)f", value) }

  /// With at most so many digits.
  static func significant(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)g", value) }

  /// The nearest number with so many decimals.
  static func rounded(_ value: Double, _ decimals: Int) -> Double { Double(fixed(value, decimals))! }
}

extension Sequence {
  /// The sum of a value of each.
  func sum(_ value: (Element) -> Double) -> Double { reduce(0) { $0 + value($1) } }
}

extension [Double] {
  /// The value above this share of these sorted ones; nil of none.
  func quantile(_ share: Double) -> Double? {
    isEmpty ? nil : self[Swift.min(Int(share * Double(count)), count - 1)]
  }
}
