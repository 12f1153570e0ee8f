import ArgumentParser
import Foundation

/// `fuse serve` and `fuse meet`: commands of the executable `fuse-serve` in the same folder, which has SwiftNIO.
enum ServiceExecutable {
  /// Becomes `fuse-serve` with a command and its arguments; returns only by an error.
  static func run(_ command: String, _ arguments: [String]) throws {
    try Failure.reporting {
      let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
      let path = own.resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("fuse-serve").path
      var words: [UnsafeMutablePointer<CChar>?] = (["fuse-serve", command] + arguments).map { strdup($0) }
      words.append(nil)
      execv(path, words)
      throw CommandError(
        "\(path): \(String(cString: strerror(errno))), expected the service beside fuse: "
          + "'swift build -c release --product fuse-serve' builds it")
    }
  }
}

/// `fuse serve`.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves sessions over HTTP; see 'fuse serve --help'.",
    discussion: "Runs fuse-serve, which is beside this executable, with these arguments.", helpNames: [])

  @Argument(parsing: .captureForPassthrough)
  var arguments: [String] = []

  func run() throws { try ServiceExecutable.run("serve", arguments) }
}

/// `fuse meet`.
struct MeetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meet", abstract: "Plays one end of a meeting of two processes; see 'fuse meet --help'.",
    discussion: "Runs fuse-serve, which is beside this executable, with these arguments.", helpNames: [])

  @Argument(parsing: .captureForPassthrough)
  var arguments: [String] = []

  func run() throws { try ServiceExecutable.run("meet", arguments) }
}
