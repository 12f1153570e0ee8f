extension Explanation {
  /// What was asked of the posterior, or of what it rests on, for some of the outputs.
  package struct Gate: Equatable, Sendable {
    /// What became of it.
    package enum Verdict: String, Sendable {
      case passed, failed
      /// It could not be asked, or does not count yet: `note` says why.
      case notAsked
    }

    /// What is measured, a few words.
    package var name: String
    /// What was found, in `unit`; nil where it was not asked.
    package var value: Double?
    /// What is asked for, in `unit`.
    package var limit: Double
    /// True when the value must be at most the limit, false when at least.
    package var isUpperLimit: Bool
    /// `deg`, `m`, `s`, `%`, `Hz` or empty.
    package var unit: String
    /// What is withheld when it fails, in words.
    package var withholds: String
    /// What became of it.
    package var verdict: Verdict
    /// Why it was not asked; nil where there is nothing to add.
    package var note: String?

    /// Withheld without an angle, and in the dark.
    static let all = "angle, direction, height class, position"

    static func upper(_ name: String, _ value: Double, _ limit: Double, _ unit: String, _ withholds: String) -> Gate {
      Gate(
        name: name, value: value, limit: limit, isUpperLimit: true, unit: unit, withholds: withholds,
        verdict: value <= limit ? .passed : .failed)
    }

    static func lower(_ name: String, _ value: Double, _ limit: Double, _ unit: String, _ withholds: String) -> Gate {
      Gate(
        name: name, value: value, limit: limit, isUpperLimit: false, unit: unit, withholds: withholds,
        verdict: value >= limit ? .passed : .failed)
    }

    /// The same, but it does not count.
    func notAsked(_ note: String, keepsValue: Bool = false) -> Gate {
      var gate = self
      gate.verdict = .notAsked
      gate.note = note
      if !keepsValue { gate.value = nil }
      return gate
    }
  }
}
