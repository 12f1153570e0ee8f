import Dispatch
import Foundation
import Geometry
import NearbyInteraction
import Testing

/// On which queue a delegate is called.
@Suite struct QueueTests {
  static let key = DispatchSpecificKey<String>()

  /// Plays a second, and returns the labels of the queues on which the delegate was called.
  static func labels(_ queue: DispatchQueue?) throws -> Set<String?> {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    session.delegateQueue = queue
    nonisolated(unsafe) var heard: Set<String?> = []
    listener.answer = { _, _ in heard.insert(DispatchQueue.getSpecific(key: key)) }
    session.run(SessionTests.plain(device.token(forPeer: "a")))
    try Tape(seconds: 1, peers: ["a": Vector3(0, 3, 0)]).world(device).play()
    #expect(listener.objects.count == 10)
    return heard
  }

  @Test func onTheOneThatWasAskedFor() throws {
    let queue = DispatchQueue(label: "app")
    queue.setSpecific(key: Self.key, value: "app")
    #expect(try Self.labels(queue) == ["app"])
    // Played on that very queue: at once, without waiting for itself.
    let within = try queue.sync { try Self.labels(queue) }
    #expect(within == ["app"])
  }

  /// Regression: with an asynchronous `main`, the main queue's thread is not the main thread, and waited for itself.
  @MainActor @Test func noneIsTheMainQueueWhereverItIsServed() throws {
    DispatchQueue.main.setSpecific(key: Self.key, value: "main")
    #expect(try Self.labels(nil) == ["main"])
    #expect(try Self.labels(.main) == ["main"])
  }

  @Test func fromAnotherThreadTheMainQueueIsWaitedFor() async throws {
    let heard = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Set<String?>, any Error>) in
      DispatchQueue.main.setSpecific(key: Self.key, value: "main")
      Thread.detachNewThread { done.resume(with: Result { try Self.labels(nil) }) }
    }
    #expect(heard == ["main"])
  }
}
