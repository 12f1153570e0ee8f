import NIOCore
import NIOHTTPTypes
import NIOWebSocket

/// Messages for a client, several in one buffer: what a response's body has once the connection is a WebSocket.
package struct SocketMessages {
  /// The buffer.
  package private(set) var buffer = ByteBuffer()

  /// No messages.
  package init() {}

  /// Whether there are none.
  package var isEmpty: Bool { buffer.readableBytes == 0 }

  /// Adds a message of text.
  package mutating func add(text: some Collection<UInt8>) { add(.text, text) }

  /// Adds a message of bytes.
  package mutating func add(binary: some Collection<UInt8>) { add(.binary, binary) }

  /// The end: a code, and a reason of at most 123 bytes.
  package mutating func close(_ code: WebSocketErrorCode, _ reason: String) {
    let code = UInt16(webSocketErrorCode: code)
    add(.connectionClose, [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8.prefix(123)))
  }

  private mutating func add(_ opcode: WebSocketOpcode, _ bytes: some Collection<UInt8>) {
    buffer.writeInteger(UInt8(webSocketOpcode: opcode))
    buffer.writeInteger(UInt32(bytes.count))
    buffer.writeBytes(bytes)
  }

  /// Takes the next message from a buffer; nil where it has no more.
  static func next(_ buffer: inout ByteBuffer) -> (WebSocketOpcode, ByteBuffer)? {
    guard let opcode = buffer.readInteger(as: UInt8.self).flatMap(WebSocketOpcode.init(encodedWebSocketOpcode:)),
      let count = buffer.readInteger(as: UInt32.self), let data = buffer.readSlice(length: Int(count))
    else { return nil }
    return (opcode, data)
  }
}

/// Between frames and what serves requests, once a connection is a WebSocket: messages in one direction and the other,
/// signs of life, and the end, which both sides say.
package final class WebSocketBridge: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = WebSocketFrame
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = WebSocketFrame

  /// Time between pings: whoever answers none for a minute is gone, as a connection that is idle.
  private static let pingTime = TimeAmount.seconds(20)
  /// Time that a client has to say the end, too.
  private static let closeTime = TimeAmount.seconds(5)

  private var assembler: WebSocketAssembler
  private var hasClosed = false
  private var hasEnded = false
  private var pings: Scheduled<Void>?
  private var closing: Scheduled<Void>?

  /// A bridge for messages of at most so many bytes.
  package init(largestMessage: Int) { assembler = WebSocketAssembler(largest: largestMessage) }

  package func handlerAdded(context: ChannelHandlerContext) { schedulePing(context) }

  private func schedulePing(_ context: ChannelHandlerContext) {
    pings = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pingTime) { [self] in
      guard !hasClosed else { return }
      context.writeAndFlush(
        wrapOutboundOut(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())), promise: nil)
      schedulePing(context)
    }
  }

  package func handlerRemoved(context: ChannelHandlerContext) { stop() }

  package func channelInactive(context: ChannelHandlerContext) {
    stop()
    end(context)
    context.fireChannelInactive()
  }

  private func stop() {
    pings?.cancel()
    closing?.cancel()
    (pings, closing) = (nil, nil)
  }

  // MARK: from the client

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Behind a violation nothing is read; behind our end only the client's.
    let outcome = assembler.take(unwrapInboundIn(data))
    switch outcome {
    case .nothing: break
    case .message(let message):
      if !hasClosed { context.fireChannelRead(wrapInboundOut(.body(message))) }
    case .ping(let data):
      guard !hasClosed else { return }
      context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: data)), promise: nil)
      context.fireChannelRead(wrapInboundOut(.body(ByteBuffer())))
    case .pong:
      // Nothing for the session; the connection is seen not to be idle.
      if !hasClosed { context.fireChannelRead(wrapInboundOut(.body(ByteBuffer()))) }
    case .close(let code):
      if !hasClosed { say(context, Self.payload(code, "")) }
      leave(context)
    case .violation(let code, let reason):
      if !hasClosed { say(context, Self.payload(code, reason)) }
      leave(context)
    }
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? NIOWebSocketError else { return context.fireErrorCaught(error) }
    switch error {
    case .invalidFrameLength: say(context, Self.payload(.messageTooLarge, "a frame that is too large"))
    case .fragmentedControlFrame:
      say(context, Self.payload(.protocolError, "a control frame in parts, expected it whole"))
    case .multiByteControlFrameLength:
      say(context, Self.payload(.protocolError, "a control frame of more than 125 bytes, expected fewer"))
    }
    leave(context)
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    context.fireUserInboundEventTriggered(event)
    // A client that is gone without a word.
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { leave(context) }
  }

  /// The request is over for what serves it.
  private func end(_ context: ChannelHandlerContext) {
    guard !hasEnded else { return }
    hasEnded = true
    context.fireChannelRead(wrapInboundOut(.end(nil)))
  }

  // MARK: to the client

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head: promise?.succeed()
    case .body(var buffer):
      var last = promise
      var frames: [WebSocketFrame] = []
      while !hasClosed, let (opcode, data) = SocketMessages.next(&buffer) {
        frames.append(WebSocketFrame(fin: true, opcode: opcode, data: data))
        if opcode == .connectionClose { hasClosed = true }
      }
      for (index, frame) in frames.enumerated() {
        context.write(wrapOutboundOut(frame), promise: index == frames.count - 1 ? last : nil)
      }
      if !frames.isEmpty { last = nil }
      last?.succeed()
      if hasClosed { awaitEnd(context) }
    case .end:
      if !hasClosed { say(context, Self.payload(.normalClosure, "")) }
      context.flush()
      promise?.succeed()
      awaitEnd(context)
    }
  }

  private static func payload(_ code: WebSocketErrorCode, _ reason: String) -> ByteBuffer {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    data.writeBytes(reason.utf8.prefix(123))
    return data
  }

  private func say(_ context: ChannelHandlerContext, _ payload: ByteBuffer) {
    guard !hasClosed else { return }
    hasClosed = true
    context.writeAndFlush(
      wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: payload)), promise: nil)
  }

  /// Our end is said: the client's is awaited for a while.
  private func awaitEnd(_ context: ChannelHandlerContext) {
    guard closing == nil else { return }
    closing = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTime) { [self] in leave(context) }
  }

  /// Both ends are said, or the client's never comes.
  private func leave(_ context: ChannelHandlerContext) {
    end(context)
    context.flush()
    context.close(promise: nil)
  }
}

/// Messages from the frames that a client sends: pure. Says what is wrong with them as RFC 6455 has it.
package struct WebSocketAssembler {
  /// What a frame comes to.
  package enum Outcome: Equatable {
    /// A part of a message, or an unsolicited pong.
    case nothing
    /// A whole message.
    case message(ByteBuffer)
    /// To be answered with the same bytes.
    case ping(ByteBuffer)
    /// A sign of life.
    case pong
    /// The client closes, with a code that may be sent back.
    case close(WebSocketErrorCode)
    /// The client does what it must not: the code to close with, and why.
    case violation(WebSocketErrorCode, String)
  }

  private let largest: Int
  private var parts: ByteBuffer?
  private var isText = false

  /// An assembler of messages of at most so many bytes.
  package init(largest: Int) { self.largest = largest }

  /// Takes the next frame.
  package mutating func take(_ frame: WebSocketFrame) -> Outcome {
    guard frame.maskKey != nil else { return .violation(.protocolError, "a frame without a mask, expected one") }
    guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return .violation(.protocolError, "a reserved bit is set, expected no extension")
    }
    let data = frame.unmaskedData
    switch frame.opcode {
    case .ping: return .ping(data)
    case .pong: return .pong
    case .connectionClose: return Self.close(data)
    case .text, .binary:
      guard parts == nil else { return .violation(.protocolError, "a new message within another, expected its rest") }
      isText = frame.opcode == .text
      return add(data, isLast: frame.fin)
    case .continuation:
      guard parts != nil else { return .violation(.protocolError, "the rest of no message, expected its beginning") }
      return add(data, isLast: frame.fin)
    default: return .violation(.protocolError, "another opcode, expected text or binary")
    }
  }

  private mutating func add(_ data: ByteBuffer, isLast: Bool) -> Outcome {
    var whole = parts ?? ByteBuffer()
    guard whole.readableBytes + data.readableBytes <= largest else {
      return .violation(.messageTooLarge, "a message of more than \(largest) bytes, expected at most that")
    }
    whole.writeImmutableBuffer(data)
    guard isLast else {
      parts = whole
      return .nothing
    }
    parts = nil
    if isText, String(validating: whole.readableBytesView, as: UTF8.self) == nil {
      return .violation(.dataInconsistentWithMessage, "text that is no UTF-8, expected it to be")
    }
    return .message(whole)
  }

  private static func close(_ data: ByteBuffer) -> Outcome {
    var data = data
    if data.readableBytes == 0 { return .close(.normalClosure) }
    guard let code = data.readInteger(as: UInt16.self) else {
      return .violation(.protocolError, "half a code to close with, expected two bytes")
    }
    let isPermitted = (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code)
    guard isPermitted else { return .violation(.protocolError, "another code to close with, expected one of RFC 6455") }
    guard String(validating: data.readableBytesView, as: UTF8.self) != nil else {
      return .violation(.dataInconsistentWithMessage, "a reason that is no UTF-8, expected it to be")
    }
    return .close(WebSocketErrorCode(codeNumber: Int(code)))
  }
}
