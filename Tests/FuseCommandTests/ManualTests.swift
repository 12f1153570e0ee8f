import Foundation
import FuseCommandTestSupport
import Testing
import fuse

/// The manual page and the completions name every command and every option.
@Suite struct ManualTests {
  private struct Dump: Decodable {
    struct Command: Decodable {
      struct Argument: Decodable {
        struct Name: Decodable {
          var kind: String
          var name: String
        }
        var names: [Name]?
        var shouldDisplay: Bool
      }
      var commandName: String
      var arguments: [Argument]?
      var subcommands: [Command]?
      var shouldDisplay: Bool
    }
    var command: Command
  }

  /// Names of the visible commands, each with its long options, as the executable itself tells.
  private func commands() throws -> [(name: String, options: [String])] {
    let dump = try FuseProcess.run(["--experimental-dump-help"])
    func all(_ command: Dump.Command, _ path: String) -> [(String, [String])] {
      guard command.shouldDisplay, command.commandName != "help" else { return [] }
      let options = (command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
        .filter { $0.kind == "long" }.map { "--" + $0.name }
      let name = path.isEmpty ? command.commandName : path + " " + command.commandName
      return [(name, options)] + (command.subcommands ?? []).flatMap { all($0, name) }
    }
    return all(try JSONDecoder().decode(Dump.self, from: Data(dump.stdout.utf8)).command, "")
  }

  @Test func thePageNamesEveryCommandAndOption() throws {
    let page = try FuseProcess.run(["manual"])
    try #require(page.status == 0, "\(page.stderr)")
    let text = page.stdout.replacingOccurrences(of: "\\-", with: "-")
    let found = try commands()
    #expect(found.count > 15)
    for (name, options) in found.dropFirst() {
      let parts = text.components(separatedBy: "\n.SS \(name)\n")
      try #require(parts.count == 2, "\(name)")
      let section = parts[1].components(separatedBy: "\n.SS ")[0]
      for option in options { #expect(section.contains(option), "\(name) \(option)") }
    }
    // Of the commands that another executable carries out.
    for option in ["--replay", "--broadcast", "--wait"] { #expect(text.contains(option), "\(option)") }
  }

  /// The formatter finds nothing to say, where there is one.
  @Test func thePageIsWellFormed() throws {
    let outcome = try FuseProcess.shell(
      "command -v man >/dev/null || exit 0; $FUSE manual > fuse.1; LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l fuse.1 2>&1 >page; "
        + "grep -q 'fuse run' page || exit 5")
    #expect(outcome.status == 0 && outcome.stdout.isEmpty, "\(outcome.stdout)")
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func completionsNameEveryCommand(_ shell: String) throws {
    let script = try FuseProcess.run(["--generate-completion-script", shell])
    #expect(script.status == 0)
    for (name, options) in try commands().dropFirst() {
      #expect(script.stdout.contains(name.split(separator: " ").last!), "\(name)")
      for option in options { #expect(script.stdout.contains(option.dropFirst(2)), "\(name) \(option)") }
    }
  }

  /// Commands that another executable carries out are checked, completed and explained by this one.
  @Test func theServicesOptionsAreKnown() throws {
    let known = Dictionary(uniqueKeysWithValues: try commands())
    let (serve, meet) = (try #require(known["fuse serve"]), try #require(known["fuse meet"]))
    #expect(serve.contains("--auth-token") && serve.contains("--max-peers") && meet.contains("--broadcast"))
    let wrong = try FuseProcess.run(["serve", "--prot", "80"])
    #expect(wrong.status == 64 && wrong.stderr.contains("--port"), "\(wrong.stderr)")
    #expect(try FuseProcess.run(["meet", "x", "--name", "a", "--peer", "a"]).stderr.contains("must differ"))
    let help = try FuseProcess.run(["serve", "--help"])
    #expect(help.status == 0 && help.stdout.contains("USAGE: fuse serve"))
  }

  /// Text that looks like a request or an escape is text.
  @Test func nothingIsTakenForARequest() throws {
    let dump = #"""
      {"command": {"commandName": "x", "abstract": ".ab", "discussion": "a \\fB\n.so /etc/passwd", "shouldDisplay": true}}
      """#
    let page = ManualPage.text(try CommandHelp(dump: Data(dump.utf8)), version: "1")
    #expect(page.contains("\\&.so /etc/passwd") && page.contains("a \\efB") && !page.contains("\n.so"))
  }
}
