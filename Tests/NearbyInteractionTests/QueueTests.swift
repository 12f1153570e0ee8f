import Dispatch
import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
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
    nonisolated(unsafe) var received: Set<String?> = []
    listener.answer = { _, _ in received.insert(DispatchQueue.getSpecific(key: key)) }
    session.run(SessionTests.plain(device.token(forPeer: "a")))
    try Tape(seconds: 1, peers: ["a": Vector3(0, 3, 0)]).world(device).playBlocking()
    #expect(listener.objects.count == 10)
    return received
  }

  @Test func usesTheDelegateQueue() throws {
    let queue = DispatchQueue(label: "app")
    queue.setSpecific(key: Self.key, value: "app")
    #expect(try Self.labels(queue) == ["app"])
    // Played on that very queue: at once, without waiting for itself.
    let within = try queue.sync { try Self.labels(queue) }
    #expect(within == ["app"])
  }

  /// Regression: with an asynchronous `main`, the main queue's thread is not the main thread, and waited for itself.
  @MainActor @Test(arguments: [nil, DispatchQueue.main]) func nilIsTheMainQueue(_ queue: DispatchQueue?) async throws {
    DispatchQueue.main.setSpecific(key: Self.key, value: "main")
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    session.delegateQueue = queue
    nonisolated(unsafe) var received: Set<String?> = []
    listener.answer = { _, _ in received.insert(DispatchQueue.getSpecific(key: Self.key)) }
    session.run(SessionTests.plain(device.token(forPeer: "a")))
    // At once, without waiting for itself.
    device.settle()
    #expect(received == ["main"] && listener.callbacks == ["started"])
    try await Tape(seconds: 1, peers: ["a": Vector3(0, 3, 0)]).world(device).play()
    #expect(listener.objects.count == 10 && received == ["main"])
  }

  /// A queue on which nothing was called yet does not wait for itself.
  @Test func theFirstCallMayComeFromTheQueueItself() {
    let queue = DispatchQueue(label: "app")
    var calls = 0
    queue.sync { CallbackQueue.run(on: queue) { calls += 1 } }
    #expect(calls == 1)
  }

  /// Regression: each thread set its own mark on the main queue. A callback that ran on it deadlocked when another mark
  /// came between, once in some hundred runs of all tests.
  @Test func manyThreadsMayCallOnTheMainQueue() async {
    let calls = await withCheckedContinuation { (done: CheckedContinuation<Int, Never>) in
      Thread.detachNewThread {
        nonisolated(unsafe) var calls = 0  // Touched on the main queue only.
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
          for _ in 0..<50_000 { CallbackQueue.run(on: nil) { CallbackQueue.run(on: nil) { calls += 1 } } }
        }
        done.resume(returning: calls)
      }
    }
    #expect(calls == 200_000)
  }

  @Test func waitsForTheMainQueueFromAnotherThread() async throws {
    let received = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Set<String?>, any Error>) in
      DispatchQueue.main.setSpecific(key: Self.key, value: "main")
      Thread.detachNewThread { done.resume(with: Result { try Self.labels(nil) }) }
    }
    #expect(received == ["main"])
  }
}
