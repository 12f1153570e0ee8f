extension Explanation {
  /// A limit on the posterior, or on what it rests on, for some of the outputs.
  package struct Gate: Equatable, Sendable {
    /// The outcome of a gate.
    package enum Outcome: String, Sendable {
      case passed, failed
      /// It could not be evaluated, or does not count yet: `note` gives the reason.
      case notAsked
    }

    /// The measured quantity, a few words.
    package var name: String
    /// The value, in `unit`; nil where it was not evaluated.
    package var value: Double?
    /// The limit, in `unit`.
    package var limit: Double
    /// True when the value must be at most the limit, false when at least.
    package var isUpperLimit: Bool
    /// `deg`, `m`, `s`, `%`, `Hz` or empty.
    package var unit: String
    /// The outputs that it withholds when it fails, in words.
    package var withholds: String
    /// The outcome.
    package var outcome: Outcome
    /// Why it was not evaluated; nil where there is nothing to add.
    package var note: String?

    /// Withheld without an angle, and in the dark.
    static let all = "angle, direction, height class, position"

    static func upper(_ name: String, _ value: Double, _ limit: Double, _ unit: String, _ withholds: String) -> Gate {
      Gate(
        name: name, value: value, limit: limit, isUpperLimit: true, unit: unit, withholds: withholds,
        outcome: value <= limit ? .passed : .failed)
    }

    static func lower(_ name: String, _ value: Double, _ limit: Double, _ unit: String, _ withholds: String) -> Gate {
      Gate(
        name: name, value: value, limit: limit, isUpperLimit: false, unit: unit, withholds: withholds,
        outcome: value >= limit ? .passed : .failed)
    }

    /// The same gate, not counted.
    func notAsked(_ note: String, keepsValue: Bool = false) -> Gate {
      var gate = self
      gate.outcome = .notAsked
      gate.note = note
      if !keepsValue { gate.value = nil }
      return gate
    }
  }
}
