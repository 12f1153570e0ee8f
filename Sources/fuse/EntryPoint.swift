import ArgumentParser
import Dispatch
import Foundation
import RunResults

/// Runs the requested command: on the main thread, except asynchronous ones. An asynchronous entry point would run all
/// of them on a dispatcher's thread, which valgrind cannot follow and whose stack is small.
@main
enum EntryPoint {
  static func main() {
    StandardStreams.secure()
    EndingSignals.watch()
    do {
      let arguments = RawArguments.all()
      try UnknownCommand.check(arguments)
      var command = try Fuse.parseAsRoot(arguments)
      guard let waiting = command as? any AsyncParsableCommand else { return try command.run() }
      // Moved to the task: this thread only waits.
      nonisolated(unsafe) var asynchronous = waiting
      Task {
        do {
          try await asynchronous.run()
          Fuse.exit()
        } catch { end(with: error) }
      }
      dispatchMain()
    } catch { end(with: error) }
  }

  /// Help goes to stdout; a message about wrong arguments, which it quotes, to stderr.
  private static func end(with error: any Error) -> Never {
    let code = Fuse.exitCode(for: error)
    guard !code.isSuccess else { Fuse.exit(withError: error) }
    let message = Fuse.fullMessage(for: error)
    if !message.isEmpty { StandardError.line(message) }
    exit(code.rawValue)
  }
}
