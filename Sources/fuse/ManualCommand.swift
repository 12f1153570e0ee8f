import ArgumentParser
import Foundation
import RunResults

/// `fuse manual`.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Prints the manual page, for man.",
    discussion: """
      EXAMPLES
        fuse manual | man -l -
        fuse manual > /usr/local/share/man/man1/fuse.1
        fuse --generate-completion-script bash > /etc/bash_completion.d/fuse   zsh and fish, too
      """)

  func run() throws {
    try Failure.reporting {
      let help = try CommandHelp(dump: Data(Fuse._dumpHelp().utf8))
      var standardOutput = StandardOutput()
      try standardOutput.write(Array(ManualPage.text(help, version: FuseVersion.current).utf8))
      try standardOutput.flush()
    }
  }
}

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

/// A manual page in the language of man(7), from what commands say about themselves.
package enum ManualPage {
  /// The page of `command`, section 1.
  package static func text(_ command: CommandHelp, version: String) -> String {
    let name = command.commandName
    var lines = [
      ".TH \(name.uppercased()) 1 \"\" \"\(name) \(version)\" \"User Commands\"",
      ".SH NAME", "\(escaped(name)) \\- \(escaped(command.abstract ?? ""))",
      ".SH SYNOPSIS", ".B \(escaped(name))", "<command> [<argument>...]",
      ".SH DESCRIPTION",
    ]
    lines += discussion(command.discussion) + [".SH COMMANDS"]
    for sub in command.shown { lines += section(sub, within: name) }
    lines += [
      ".SH FILES",
      "Recordings, results and settings are described in docs/formats.md of the package; every setting of a",
      ".B \\-\\-config", "file is listed by", ".B fuse config \\-\\-list\\fR.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func section(_ command: CommandHelp, within parent: String) -> [String] {
    let name = "\(parent) \(command.commandName)"
    var lines = [".SS \(escaped(name))", escaped(command.abstract ?? "")]
    lines += [".PP", ".B \(escaped(name))"] + (command.arguments ?? []).filter(\.shouldDisplay).compactMap(usage)
    lines += discussion(command.discussion)
    for argument in command.arguments ?? [] where argument.shouldDisplay { lines += entry(argument) }
    for sub in command.shown { lines += section(sub, within: name) }
    return lines
  }

  /// An argument's place in the synopsis; none for the options that every command has.
  private static func usage(_ argument: CommandHelp.Argument) -> String? {
    guard argument.kind == "positional" else { return argument.isOptional ? nil : typed(argument) }
    let name = "<\(argument.valueName ?? "")>" + (argument.isRepeating ? "..." : "")
    return escaped(argument.isOptional ? "[\(name)]" : name)
  }

  private static func typed(_ argument: CommandHelp.Argument) -> String {
    let value = argument.kind == "option" ? " <\(argument.valueName ?? "")>" : ""
    return escaped((argument.names?.first?.typed ?? "") + value)
  }

  private static func entry(_ argument: CommandHelp.Argument) -> [String] {
    let value = argument.kind == "flag" ? "" : "<\(argument.valueName ?? "")>"
    let names = (argument.names ?? []).map(\.typed).joined(separator: ", ")
    let head = [names, value].filter { !$0.isEmpty }.joined(separator: " ")
    var text = [argument.abstract, argument.discussion].compactMap { $0 }.joined(separator: " ")
    if let values = argument.allValues, !values.isEmpty { text += " (values: \(values.joined(separator: ", ")))" }
    if let value = argument.defaultValue { text += " (default: \(value))" }
    return [".TP", ".B \(escaped(head))", escaped(text)]
  }

  /// Paragraphs as they are; indented lines and headings keep their lines.
  private static func discussion(_ text: String?) -> [String] {
    guard let text, !text.isEmpty else { return [] }
    var lines: [String] = [".PP"]
    var isVerbatim = false
    func verbatim(_ wanted: Bool) {
      guard wanted != isVerbatim else { return }
      lines += wanted ? [".PP", ".nf"] : [".fi", ".PP"]
      isVerbatim = wanted
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.isEmpty {
        verbatim(false)
        lines.append(".PP")
        continue
      }
      verbatim(line.hasPrefix("  ") || line == line.uppercased())
      lines.append(escaped(line))
    }
    verbatim(false)
    return lines
  }

  /// Text in which nothing is a request or an escape.
  private static func escaped(_ text: String) -> String {
    let one = text.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "-", with: "\\-")
      .replacingOccurrences(of: "\n", with: " ")
    return one.hasPrefix(".") || one.hasPrefix("'") ? "\\&" + one : one
  }
}
