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
