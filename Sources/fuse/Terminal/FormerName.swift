import Foundation
import Simulation

/// Names that changed with 0.2 and are accepted for one release, with a warning.
enum FormerName {
  /// The warning.
  static func sentence(_ kind: String, _ former: String, _ name: String) -> String {
    "the \(kind) '\(former)' is now called '\(name)'; the old name ends with the next release"
  }

  /// Writes a warning to standard error.
  static func warn(_ sentence: String) {
    StandardError.warn(sentence)
  }
}

extension Scenario {
  /// The scenario named by a user; a former name gives a warning.
  ///
  /// - Throws: `ScenarioError` as `named`.
  static func asked(_ name: String) throws(ScenarioError) -> Scenario {
    if let current = formerNames[name] { FormerName.warn(FormerName.sentence("scenario", name, current)) }
    return try named(name)
  }
}
