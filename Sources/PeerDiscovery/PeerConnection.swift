import Foundation
import NIOCore

/// A connection to one peer, for messages of up to 64 KiB, in order.
public final class PeerConnection: Sendable {
  /// Name of the peer.
  public let peer: String
  /// Messages of the peer; ends with the connection. For one reader. At most 64 wait: a peer that sends more, unread,
  /// loses the connection.
  public let messages: AsyncStream<Data>
  private let channel: any Channel

  init(peer: String, channel: any Channel, messages: AsyncStream<Data>) {
    self.peer = peer
    self.channel = channel
    self.messages = messages
  }

  /// The next message; nil where the connection ends before it comes.
  ///
  /// - Throws: `DiscoveryError.silent` where none comes within `seconds`; then the connection is closed.
  public func message(within seconds: Double) async throws -> Data? {
    let expiry = Expiry()
    let task = channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(max(0, min(seconds, 1e6)) * 1e9))) { [channel] in
      expiry.isOver = true
      channel.close(promise: nil)
    }
    defer { task.cancel() }
    for await message in messages { return message }
    if expiry.isOver { throw DiscoveryError.silent(peer) }
    return nil
  }

  /// Sends a message.
  ///
  /// - Throws: `DiscoveryError.messageTooLong`, or the system's error when the connection is closed.
  public func send(_ message: Data) async throws {
    try await channel.writeAndFlush(FrameDecoder.frame(message))
  }

  /// Closes the connection.
  public func close() async { try? await channel.close() }
}

/// Whether a wait was too long; set on an event loop, read by another thread.
private final class Expiry: @unchecked Sendable {
  // Guarded by `lock`.
  private var value = false
  private let lock = NSLock()

  var isOver: Bool {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }
}
