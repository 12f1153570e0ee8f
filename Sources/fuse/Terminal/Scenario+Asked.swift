import Foundation
import RunResults
import Simulation

extension Scenario {
  /// The scenario named by a user; a former name gives a warning.
  ///
  /// - Throws: `ScenarioError` as `named`; `CommandError` where there is none, with one that may have been meant.
  static func asked(_ name: String) throws -> Scenario {
    let names = builtIn.map(\.name)
    if !names.contains(name), formerNames[name] == nil, !FileManager.default.fileExists(atPath: name) {
      let near = Suggestion.text(for: name, among: names)
      throw CommandError("\(name): no such scenario and no such file\(near) 'fuse simulate --list' lists them")
    }
    if let current = formerNames[name] { FormerName.warn(FormerName.sentence("scenario", name, current)) }
    return try named(name)
  }
}
