import ArgumentParser
import Dispatch

/// Runs the requested command: on the main thread, except asynchronous ones. An asynchronous entry point would run all
/// of them on a dispatcher's thread, which valgrind cannot follow and whose stack is small.
@main
enum EntryPoint {
  static func main() {
    StandardStreams.secure()
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
        } catch { Fuse.exit(withError: error) }
      }
      dispatchMain()
    } catch { Fuse.exit(withError: error) }
  }
}
