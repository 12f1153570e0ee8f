import Datasets
import Foundation
import JSONText

/// Compact, deterministic lists of values for the page.
enum Columns {
  /// Numbers with at most `decimals` decimals; null for nil and non-finite values.
  static func numbers(_ values: [Double?], _ decimals: Int) -> JSONValue {
    .array(values.map { number($0, decimals) })
  }

  /// One such number. A whole one is written without its point.
  static func number(_ value: Double?, _ decimals: Int) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    let scale = pow(10, Double(decimals))
    let rounded = (value * scale).rounded() / scale
    guard rounded.isFinite else { return .null }
    return Int(exactly: rounded).map { .integer($0) } ?? .number(rounded)
  }

  /// Numbers with three significant digits.
  static func significant(_ values: [Double?]) -> JSONValue {
    .array(
      values.map { value in
        guard let value, value != 0, value.isFinite else { return number(value, 0) }
        return number(value, min(12, max(0, 2 - Int(log10(abs(value)).rounded(.down)))))
      })
  }

  /// Words as a list of distinct ones and, for each value, its index in it; null for nil.
  static func words(_ values: [String?]) -> JSONValue {
    var indices: [String: Int] = [:]
    var words: [String] = []
    let at = values.map { value -> JSONValue in
      guard let value else { return .null }
      if indices[value] == nil {
        indices[value] = words.count
        words.append(value)
      }
      return .integer(indices[value]!)
    }
    return ["words": .array(words.map { .string($0) }), "at": .array(at)]
  }
}
