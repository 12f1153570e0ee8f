import ArgumentParser
import RunResults
import Settings
import Wording

/// `fuse config --list`.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Every setting of --config: unit, permitted values, default, meaning.",
    discussion: """
      The list is itself such a file, with every default: keep the lines that you change.

      EXAMPLES
        fuse config --list
        fuse config --list nlos
        fuse config --list > settings.yaml && fuse run phone --config settings.yaml
        fuse config settings.yaml               checks a file
      """)

  @Flag(help: "Lists the settings, or those whose name has the word that is given.")
  var list = false

  @Argument(help: "A file to check; with --list a part of names.")
  var word: String?

  func validate() throws {
    if !list, word?.isEmpty ?? true { throw ValidationError("Name a file to check, or use --list.") }
  }

  func run() throws {
    try Failure.reporting {
      var standardOutput = StandardOutput()
      guard list else {
        let path = word ?? ""
        let changed = ConfigurationFile.changes(in: try ConfigurationFile.read(path))
        try standardOutput.line(
          changed.isEmpty ? "\(path): every setting has its default" : "\(path): differs from the defaults in")
        for name in changed { try standardOutput.line("  \(name)") }
        return
      }
      let keys = word.map(ConfigurationListing.keys) ?? ConfigurationKey.all
      if keys.isEmpty, let word {
        let near = Spelling.suggestion(for: word, among: ConfigurationKey.all.flatMap { [$0.name, $0.shortName] })
        throw CommandError("\(word): no setting has that in its name\(near)")
      }
      for line in ConfigurationListing.lines(of: keys) { try standardOutput.line(line) }
    }
  }
}
