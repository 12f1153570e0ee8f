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

/// Messages in a stream of bytes: four bytes of length, most significant first, then the message.
package struct FrameDecoder: ByteToMessageDecoder {
  package typealias InboundOut = ByteBuffer

  /// Longest message, bytes; a longer one ends the connection.
  package static let limit = 65536

  package mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return .needMoreData }
    guard length <= Self.limit else { throw DiscoveryError.messageTooLong(Self.limit) }
    guard buffer.readableBytes >= 4 + Int(length) else { return .needMoreData }
    buffer.moveReaderIndex(forwardBy: 4)
    context.fireChannelRead(NIOAny(buffer.readSlice(length: Int(length))!))
    return .continue
  }

  package mutating func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    try decode(context: context, buffer: &buffer)
  }

  package init() {}

  /// A message with its length prefix.
  static func frame(_ bytes: some Collection<UInt8>) throws -> ByteBuffer {
    guard bytes.count <= limit else { throw DiscoveryError.messageTooLong(limit) }
    var buffer = ByteBuffer()
    buffer.writeInteger(UInt32(bytes.count))
    buffer.writeBytes(bytes)
    return buffer
  }
}

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

/// The messages of a connection until they are read: at most 64, so that memory does not grow with what a peer sends.
struct MessageQueue {
  /// Most messages that wait.
  private static let capacity = 64

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
