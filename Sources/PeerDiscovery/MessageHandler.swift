import Foundation
import NIOCore

/// Forwards a connection's messages. The first one is the other end's name: each end greets with its own.
///
/// A connection ends where the other end does not greet in time, greets with something else, or sends more than is read.
final class MessageHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Seconds until the other end has to have greeted.
  static let patience: Int64 = 2

  private let name: ByteBuffer
  private let greetsFirst: Bool
  private let messages: MessageQueue
  private let greeted: (String) -> Void
  private var isGreeted = false
  private var expiry: Scheduled<Void>?

  /// - Parameters:
  ///   - name: this end's.
  ///   - greetsFirst: whether this end greets before the other has; the one that invites does.
  ///   - greeted: called with the other end's name.
  /// - Throws: `DiscoveryError.messageTooLong`.
  init(name: String, greetsFirst: Bool, messages: MessageQueue, greeted: @escaping (String) -> Void) throws {
    self.name = try FrameDecoder.frame(Data(name.utf8))
    self.greetsFirst = greetsFirst
    self.messages = messages
    self.greeted = greeted
  }

  /// Greets here, on the event loop: a task's next step may wait longer than the other end's patience on a machine whose
  /// threads are all at work.
  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    if greetsFirst { context.writeAndFlush(wrapOutboundOut(name), promise: nil) }
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
    guard Beacon.isName(name) else { return context.close(promise: nil) }
    if !greetsFirst { context.writeAndFlush(wrapOutboundOut(self.name), promise: nil) }
    greeted(name)
  }

  func channelInactive(context: ChannelHandlerContext) {
    expiry?.cancel()
    messages.finish()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
