import Foundation

/// What a command says about itself: the part of `--experimental-dump-help` that a manual page needs.
package struct CommandHelp: Decodable {
  /// An argument, option or flag.
  package struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
      /// As typed.
      var typed: String { (kind == "long" ? "--" : "-") + name }
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var discussion: String?
    var defaultValue: String?
    var allValues: [String]?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool
  }

  private struct Dump: Decodable { var command: CommandHelp }

  var commandName: String
  var abstract: String?
  var discussion: String?
  var shouldDisplay: Bool
  var subcommands: [CommandHelp]?
  var arguments: [Argument]?

  /// Reads the text of a dump.
  package init(dump: Data) throws { self = try JSONDecoder().decode(Dump.self, from: dump).command }

  /// Its visible commands, without `help`.
  var shown: [CommandHelp] { (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" } }
}
