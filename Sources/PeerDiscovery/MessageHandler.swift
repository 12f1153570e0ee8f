import Foundation
import NIOCore

/// Forwards a connection's messages; the first one of an invitation is the inviter's name.
final class MessageHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let messages: AsyncStream<Data>.Continuation
  private var greeted: ((String) -> Void)?

  /// The invited side passes `greeted`, which is called with the inviter's name.
  init(messages: AsyncStream<Data>.Continuation, greeted: ((String) -> Void)? = nil) {
    self.messages = messages
    self.greeted = greeted
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    guard let greeted else {
      messages.yield(Data(buffer.readableBytesView))
      return
    }
    self.greeted = nil
    let name = String(buffer: buffer)
    if Beacon.isName(name) { greeted(name) } else { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) { messages.finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
