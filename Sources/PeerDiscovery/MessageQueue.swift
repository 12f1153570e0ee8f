import Foundation
import NIOCore

/// The messages of a connection until they are read: at most 64, so that memory does not grow with what a peer sends.
struct MessageQueue {
  /// Most messages that wait.
  static let capacity = 64

  /// For the one reader.
  let stream: AsyncStream<Data>
  private let continuation: AsyncStream<Data>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
  }

  /// Appends a message; false where the queue is full: the reader is not there, or the peer floods.
  func append(_ message: Data) -> Bool {
    if case .dropped = continuation.yield(message) { return false }
    return true
  }

  /// No message follows.
  func finish() { continuation.finish() }
}
