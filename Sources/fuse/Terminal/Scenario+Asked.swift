import RunResults
import Simulation

extension Scenario {
  /// The scenario named by a user; a former name gives a warning.
  ///
  /// - Throws: `ScenarioError` as `named`.
  static func asked(_ name: String) throws(ScenarioError) -> Scenario {
    if let current = formerNames[name] { FormerName.warn(FormerName.sentence("scenario", name, current)) }
    return try named(name)
  }
}
