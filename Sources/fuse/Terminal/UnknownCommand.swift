import ArgumentParser
import RunResults

/// A first word that is no command.
enum UnknownCommand {
  /// - Throws: `ValidationError` with what may have been meant.
  static func check(_ arguments: [String]) throws {
    guard let word = arguments.first, !word.hasPrefix("-") else { return }
    let names = Fuse.configuration.subcommands.flatMap { command in
      [command.configuration.commandName ?? ""] + command.configuration.aliases
    }
    guard word != "help", !names.contains(word) else { return }
    throw ValidationError("'\(word)' is no command\(Suggestion.text(for: word, among: names + ["help"]))")
  }
}
