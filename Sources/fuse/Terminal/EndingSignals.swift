import Datasets
import Dispatch
import Foundation

/// SIGHUP, SIGINT and SIGTERM end the process, as ever, but first remove what it has not finished writing.
///
/// One that the caller ignores (`nohup`, a job of a script) stays ignored.
enum EndingSignals {
  nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []
  private static let lock = NSLock()
  nonisolated(unsafe) private static var interruption: (@Sendable () -> Void)?
  private static let numbers = [SIGHUP, SIGINT, SIGTERM]

  /// From now on.
  static func watch() {
    for number in numbers {
      // Nil is the default; a process begins with that, or ignores it.
      guard signal(number, SIG_IGN) == nil else { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if number == SIGINT, let body = takeInterruption() { return body() }
        Leftovers.removeForGood()
        // As if it had not been caught; a caller may have blocked the signal, then with the code that shells give it.
        signal(number, SIG_DFL)
        kill(getpid(), number)
        usleep(100_000)
        _exit(128 + number)
      }
      source.resume()
      sources.append(source)
    }
  }

  /// What the next SIGINT does instead of ending the process, once; nil: it ends it.
  static func onInterruption(_ body: (@Sendable () -> Void)?) { lock.withLock { interruption = body } }

  private static func takeInterruption() -> (@Sendable () -> Void)? {
    lock.withLock {
      defer { interruption = nil }
      return interruption
    }
  }

  /// As it was: for another program in this process's place, which inherits what is ignored.
  static func forget() {
    guard !sources.isEmpty else { return }
    for source in sources { source.cancel() }
    sources = []
    for number in numbers { signal(number, SIG_DFL) }
  }
}
