import Foundation
import NIOCore

/// Forwards a connection's messages. The first one is the other end's name: each end greets with its own.
///
/// A connection ends where the other end does not greet in time, greets with something else, or sends more than is read.
final class MessageHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// Seconds until the other end has to have greeted.
  static let patience: Int64 = 2

  private let messages: MessageQueue
  private let greeted: (String) -> Void
  private var isGreeted = false
  private var expiry: Scheduled<Void>?

  /// - Parameter greeted: called with the other end's name.
  init(messages: MessageQueue, greeted: @escaping (String) -> Void) {
    self.messages = messages
    self.greeted = greeted
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    expiry = context.eventLoop.scheduleTask(in: .seconds(Self.patience)) { channel.close(promise: nil) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    if isGreeted {
      if !messages.append(Data(buffer.readableBytesView)) { context.close(promise: nil) }
      return
    }
    isGreeted = true
    expiry?.cancel()
    let name = String(buffer: buffer)
    if Beacon.isName(name) { greeted(name) } else { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    expiry?.cancel()
    messages.finish()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
