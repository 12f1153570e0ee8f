import NIOCore
import NIOWebSocket

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
