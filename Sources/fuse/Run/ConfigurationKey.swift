import PrecisionFinding

/// A setting as it is written in a `--config` file. The table below is all there is: any other key is an error.
package struct ConfigurationKey: Sendable {
  /// What a value may be.
  package enum Kind: Sendable {
    /// A number within a range.
    case number(WritableKeyPath<FinderConfiguration, Double> & Sendable, ClosedRange<Double>)
    /// A whole number within a range.
    case integer(WritableKeyPath<FinderConfiguration, Int> & Sendable, ClosedRange<Int>)
    /// `true` or `false`.
    case flag(WritableKeyPath<FinderConfiguration, Bool> & Sendable)
  }

  /// Its name; a dot separates a section from the key in it.
  package var name: String
  /// Where it goes and what it may be.
  package var kind: Kind

  /// Every key, the few that most people need first.
  package static let all: [ConfigurationKey] = [
    ConfigurationKey(name: "reorderWindow", kind: .number(\.reorderWindow, 0...10)),
    ConfigurationKey(name: "updateInterval", kind: .number(\.updateInterval, 0.01...10)),
  ]
}
