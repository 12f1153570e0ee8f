import Datasets
import Foundation

/// Lists of values as the page gets them: short, and the same for the same values.
enum Columns {
  /// Numbers with at most `decimals` digits behind the point; null where there is none or it is not finite.
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

  /// Numbers with three digits that count.
  static func significant(_ values: [Double?]) -> JSONValue {
    .array(
      values.map { value in
        guard let value, value != 0, value.isFinite else { return number(value, 0) }
        return number(value, min(12, max(0, 2 - Int(log10(abs(value)).rounded(.down)))))
      })
  }

  /// Words as a list of the different ones and, for each value, its place in it; null where there is none.
  static func words(_ values: [String?]) -> JSONValue {
    var places: [String: Int] = [:]
    var words: [String] = []
    let at = values.map { value -> JSONValue in
      guard let value else { return .null }
      if places[value] == nil {
        places[value] = words.count
        words.append(value)
      }
      return .integer(places[value]!)
    }
    return ["words": .array(words.map { .string($0) }), "at": .array(at)]
  }
}
