import NIOCore

/// Handles datagrams: answers questions, or forwards answers.
final class BeaconHandler: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>
  typealias OutboundOut = AddressedEnvelope<ByteBuffer>

  private let answer: String?
  private let found: @Sendable (DiscoveredPeer) -> Void

  /// Advertises with an `answer`; `found` is called for the answers of others.
  init(answer: String?, found: @escaping @Sendable (DiscoveredPeer) -> Void = { _ in }) {
    self.answer = answer
    self.found = found
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    let text = String(buffer: envelope.data)
    if let answer, text == Beacon.question {
      let reply = AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: ByteBuffer(string: answer))
      context.writeAndFlush(wrapOutboundOut(reply), promise: nil)
    } else if let host = envelope.remoteAddress.ipAddress, let peer = Beacon.peer(from: text, host: host) {
      found(peer)
    }
  }

  /// Ignored: a port without a listener causes an error that does not affect the next question.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
