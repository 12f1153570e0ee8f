import Dispatch
import LiveSessions

/// Work that waits for the disk, off Swift's pool of threads, which serves all requests.
enum Blocking {
  /// Runs `body` on a thread that may wait.
  ///
  /// - Throws: `LogError.thread` where the system gives none: its queues would wait for one without a word.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try OwnThread.probe()
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result(catching: body)) }
    }
  }
}
