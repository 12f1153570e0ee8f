/// A limit of `PublicationRules` with what was found.
package struct PublicationGate: Equatable, Sendable {
  /// The outcome of a gate.
  package enum Outcome: String, Sendable {
    case passed, failed
    /// It could not be evaluated, or does not count yet: `note` gives the reason.
    case notAsked
  }

  /// The limit.
  package let rule: PublicationRules.Limit
  /// The outcome.
  package private(set) var outcome: Outcome
  /// Why it was not evaluated, or what failed; nil where there is nothing to add.
  package private(set) var note: String?
  /// In SI units; nil where it was not evaluated.
  private var found: Double?

  /// The limit asked of a value, in SI units.
  init(_ rule: PublicationRules.Limit, _ found: Double, note: String? = nil) {
    (self.rule, self.found, self.note) = (rule, found, note)
    outcome = rule.isMet(by: found) ? .passed : .failed
  }

  /// The measured quantity, a few words.
  package var name: String { rule.name }
  /// The value, in `unit`; nil where it was not evaluated.
  package var value: Double? { found.map { $0 * rule.unit.scale } }
  /// The limit, in `unit`.
  package var limit: Double { rule.value * rule.unit.scale }
  /// True when the value must be at most the limit, false when at least.
  package var isUpperLimit: Bool { rule.isUpper }
  /// `deg`, `m`, `s`, `%`, `Hz`, `dBm` or empty.
  package var unit: String { rule.unit.rawValue }
  /// The outputs that it withholds when it fails, in words.
  package var withholds: String { rule.withholds.rawValue }

  /// The same gate, not counted.
  func notAsked(_ note: String, keepsValue: Bool = false) -> PublicationGate {
    var gate = self
    gate.outcome = .notAsked
    gate.note = note
    if !keepsValue { gate.found = nil }
    return gate
  }
}
