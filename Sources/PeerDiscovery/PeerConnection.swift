import Foundation
import NIOCore

/// A connection to one peer, for messages of up to 64 KiB, in order.
public final class PeerConnection: Sendable {
  /// Name of the peer.
  public let peer: String
  /// Messages of the peer; ends with the connection. For one reader.
  public let messages: AsyncStream<Data>
  private let channel: any Channel

  init(peer: String, channel: any Channel, messages: AsyncStream<Data>) {
    self.peer = peer
    self.channel = channel
    self.messages = messages
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
