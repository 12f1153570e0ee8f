import Foundation

/// Numbers as Python's formats spell them, for files and pages that are compared byte by byte: "-0.00" stays.
enum Digits {
  /// With a fixed count of decimals; "-" of none.
  static func fixed(_ value: Double?, _ decimals: Int) -> String {
    value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
  }

  /// With at most so many digits.
  static func significant(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)g", value) }

  /// The nearest number with so many decimals.
  static func rounded(_ value: Double, _ decimals: Int) -> Double { Double(fixed(value, decimals))! }
}

extension Sequence {
  /// The sum of a value of each.
  func sum(_ value: (Element) -> Double) -> Double { reduce(0) { $0 + value($1) } }

  /// By a key; what has the same stays in its order.
  func sortedStably(by key: (Element) -> Double) -> [Element] {
    enumerated().map { ($0.offset, key($0.element), $0.element) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.2)
  }
}

extension [Double] {
  /// The value above this share of these sorted ones; nil of none.
  func quantile(_ share: Double) -> Double? {
    isEmpty ? nil : self[Swift.min(Int(share * Double(count)), count - 1)]
  }
}

extension Sequence<Double?> {
  /// The ends that hold 95 % of the values that are there; nil where there are none.
  var middle95: ClosedRange<Double>? {
    let values = compactMap(\.self).sorted()
    return values.quantile(0.025).flatMap { low in values.quantile(0.975).map { low...$0 } }
  }
}
