import ArgumentParser
import Foundation

/// `fuse serve` and `fuse meet`: commands of the executable `fuse-serve` in the same folder, which has SwiftNIO.
enum ServiceExecutable {
  /// Beside this executable.
  private static var path: String {
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return own.resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("fuse-serve").path
  }

  /// What it says about its commands, as JSON; nil where it is not there.
  static func dump() throws -> Data? {
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--experimental-dump-help"]
    process.standardOutput = pipe
    try process.run()
    let text = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text : nil
  }

  /// Becomes `fuse-serve` with a command and its arguments; returns only by an error.
  static func run(_ command: String, _ arguments: [String]) throws {
    try Failure.reporting {
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
