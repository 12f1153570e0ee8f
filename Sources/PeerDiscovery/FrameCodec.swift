import NIOCore

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
