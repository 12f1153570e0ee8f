import Geometry
import Ranging

/// Why an update says what it says: what is still possible, which gates it passed and failed, and what would help.
package struct Explanation: Sendable {
  /// What was asked of the posterior for one of the outputs.
  package struct Gate: Equatable, Sendable {
    /// What is measured, a few words.
    package var name: String
    /// What was found, in `unit`.
    package var value: Double
    /// What is asked for, in `unit`.
    package var limit: Double
    /// True when the value must be at most the limit, false when at least.
    package var isUpperLimit: Bool
    /// `deg`, `m`, `%`, `Hz` or empty.
    package var unit: String
    /// What is withheld when it fails.
    package var withholds: String

    /// Whether it lets its output through.
    package var isPassed: Bool { isUpperLimit ? value <= limit : value >= limit }
  }

  /// What was said.
  package let update: NearbyUpdate
  /// Where the peer may be, likeliest first; empty where there is no posterior.
  package let places: [Place]
  /// The gates in the order in which outputs depend on them; empty without a posterior.
  package let gates: [Gate]
  /// The motion that would tell most; nil where nothing is missing or no motion helps.
  package let manoeuvre: Manoeuvre?
  /// Hypotheses alive; 1 when the peer is a state of the filter.
  package let hypotheses: Int
  /// Whether the peer is a state of the filter.
  package let isTracked: Bool
  /// Probability that the last range's sight was free.
  package let free: Double
  /// The link's noise as it is seen now; nil before there is a posterior.
  package let noise: RangeNoise?
  /// Ranges a second, over the last two seconds.
  package let rate: Double
  /// Why the camera is of no use; nil when it is.
  package let blindness: String?
}
