import ArgumentParser
import Dispatch

/// Runs the command that the arguments ask for: on the main thread, but for the few that wait for others. An asynchronous
/// entry point would put all of them on a dispatcher's thread, where valgrind cannot follow and the stack is small.
@main
enum EntryPoint {
  static func main() {
    do {
      var command = try Fuse.parseAsRoot()
      guard let waiting = command as? any AsyncParsableCommand else { return try command.run() }
      // Handed over: this thread only waits.
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
