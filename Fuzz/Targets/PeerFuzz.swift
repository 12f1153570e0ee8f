import NIOCore
import NIOEmbedded
import PeerDiscovery

/// What other processes on a network send.
enum PeerFuzz {
  /// The first byte is the length of the pieces in which a stream arrives.
  static func run(_ bytes: [UInt8]) {
    if let peer = Beacon.peer(from: String(decoding: bytes, as: UTF8.self), host: "127.0.0.1") {
      precondition(Beacon.isName(peer.name))
    }
    guard let first = bytes.first else { return }
    let channel = EmbeddedChannel(handler: ByteToMessageHandler(FrameDecoder()))
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    var rest = bytes.dropFirst()
    while !rest.isEmpty {
      let piece = rest.prefix(max(1, Int(first)))
      rest = rest.dropFirst(piece.count)
      guard (try? channel.writeInbound(ByteBuffer(bytes: piece))) != nil else { return }
    }
    while let message = try? channel.readInbound(as: ByteBuffer.self) {
      precondition(message.readableBytes <= FrameDecoder.limit)
    }
  }
}
