import FuseCommandTestSupport
import Testing

/// Help texts and exit codes.
@Suite struct UsageTests {
  @Test func helpHasExamples() throws {
    let help = try FuseProcess.run(["--help"])
    #expect(help.status == 0)
    for piece in ["EXAMPLES", "fuse run datasets/demo", "EXIT CODES", "report", "inspect", "simulate"] {
      #expect(help.stdout.contains(piece))
    }
  }

  @Test func runHelpNamesEveryOption() throws {
    let help = try FuseProcess.run(["run", "--help"])
    #expect(help.status == 0)
    for option in [
      "--output", "--quiet", "--from", "--to", "--peer", "--odometry", "--initialize", "--strict", "--config",
      "--format",
      "EXAMPLES",
    ] { #expect(help.stdout.contains(option), "\(option)") }
  }

  @Test(arguments: ["report", "inspect", "simulate"]) func theOthersHaveHelpToo(_ command: String) throws {
    let help = try FuseProcess.run([command, "--help"])
    #expect(help.status == 0)
    #expect(help.stdout.contains("EXAMPLES"))
  }

  @Test(arguments: [
    ["run"], ["run", "a", "b"], ["run", "x", "--from", "-1"], ["run", "x", "--to", "nan"],
    ["run", "x", "--to", "1e300"],
    ["run", "x", "--from", "5", "--to", "5"], ["run", "x", "--initialize", "maybe"], ["run", "x", "--format", "xml"],
    ["run", "x", "--nonsense"], ["fly"], ["simulate"], ["simulate", "arc"],
    ["simulate", "arc", "-o", "x", "--seed", "-1"],
    ["inspect"], ["run", ""], ["report"], ["report", ""], ["report", "x", "-o", ""],
  ])
  func wrongUsageIs64(_ arguments: [String]) throws {
    let run = try FuseProcess.run(arguments)
    #expect(run.status == 64, "\(run.stderr)")
    #expect(run.stdout.isEmpty)
  }

  @Test(arguments: [
    ["run", "nowhere"], ["inspect", "nowhere"], ["simulate", "no-such-scenario", "-o", "x"],
    ["run", "nowhere", "--config", "no.yaml"], ["run", "/dev/null"], ["report", "nowhere"],
  ])
  func troubleIs2WithOneLine(_ arguments: [String]) throws {
    let run = try FuseProcess.run(arguments)
    #expect(run.status == 2)
    #expect(run.errorLines.count == 1, "\(run.stderr)")
    #expect(run.stderr.hasPrefix("error: "))
  }

  /// Help fits 80 columns, that of every command too.
  @Test func helpFits() throws {
    let help = try FuseProcess.run(["--help"]).stdout
    let block = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").last)
    let commands = block.split(separator: "\n").prefix { $0.hasPrefix("  ") }.compactMap { line in
      line.dropFirst(2).first == " " ? nil : line.split(separator: " ").first.map(String.init)
    }
    #expect(commands.contains("run") && commands.contains("config") && commands.contains("manual"))
    for arguments in [[]] + commands.map({ [$0] }) {
      let text = try FuseProcess.run(arguments + ["--help"]).stdout
      // The synopsis is one line, which the terminal breaks.
      let wide = text.split(separator: "\n").map(String.init).filter { $0.count > 80 && !$0.hasPrefix("USAGE: ") }
      #expect(wide == [], "\(arguments)")
    }
  }

  @Test func scenariosAreListedNameFirst() throws {
    let list = try FuseProcess.run(["simulate", "--list"])
    #expect(list.status == 0)
    let names = list.stdout.split(separator: "\n").map { String($0.prefix(while: { $0 != " " })) }
    for name in ["still", "straight", "arc", "arc-above", "search"] { #expect(names.contains(name)) }
  }
}
