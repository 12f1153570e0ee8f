import ArgumentParser
import Foundation
import ServiceArguments

/// `fuse serve` and `fuse meet`: commands of the executable `fuse-serve` in the same folder, which has SwiftNIO.
enum ServiceExecutable {
  /// Beside this executable.
  private static var path: String {
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return own.resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("fuse-serve").path
  }

  /// Becomes `fuse-serve` with this process's own arguments, byte by byte; returns only by an error.
  static func run() throws {
    try Failure.reporting {
      var words: [UnsafeMutablePointer<CChar>?] = [strdup("fuse-serve")]
      words += (1..<max(1, Int(CommandLine.argc))).map { CommandLine.unsafeArgv[$0] }
      words.append(nil)
      EndingSignals.forget()
      execv(path, words)
      throw CommandError(
        "\(path): \(String(cString: strerror(errno))), expected the service beside fuse: "
          + "'swift build -c release --product fuse-serve' builds it")
    }
  }
}

/// `fuse serve`.
struct ServeCommand: ParsableCommand {
  static let configuration = ServeArguments.configuration

  @OptionGroup var arguments: ServeArguments

  func run() throws { try ServiceExecutable.run() }
}

/// `fuse meet`.
struct MeetCommand: ParsableCommand {
  static let configuration = MeetArguments.configuration

  @OptionGroup var arguments: MeetArguments

  func run() throws { try ServiceExecutable.run() }
}
