import CDigest
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// Lets a request become a WebSocket: it passes as any other, with its host, origin and token judged, and where it is
/// answered with 101 the connection changes its language. From then on the request's body are the messages of the
/// client, one a piece, and the response's body are those for it, as `SocketMessages`.
package final class WebSocketDoor: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private let largestMessage: Int
  /// Whether a request that asks for it waits for its answer.
  private var isAsked = false
  private var isRefused = false

  /// A door for messages of at most so many bytes.
  package init(largestMessage: Int) { self.largestMessage = largestMessage }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      let pipeline = context.pipeline.syncOperations
      isAsked = Handshake.isAsked(head) && (try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self)) != nil
    // Held back: what comes behind it belongs to the request.
    case .end where isAsked: return
    case .body, .end: break
    }
    context.fireChannelRead(data)
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isAsked else {
      context.write(data, promise: promise)
      // What reads HTTP has stopped at the request that asked for something else.
      if isRefused, case .end = unwrapOutboundIn(data) {
        context.flush()
        context.close(promise: nil)
      }
      return
    }
    guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    isAsked = false
    guard head.status == .switchingProtocols else {
      isRefused = true
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: promise)
      return context.fireChannelRead(wrapInboundOut(.end(nil)))
    }
    context.write(data, promise: promise)
    do { try change(context) } catch { context.fireErrorCaught(error) }
  }

  /// HTTP goes, frames come.
  private func change(_ context: ChannelHandlerContext) throws {
    let pipeline = context.pipeline.syncOperations
    try pipeline.addHandlers(
      [
        ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: largestMessage)), WebSocketFrameEncoder(),
        WebSocketBridge(largestMessage: largestMessage),
      ], position: .before(self))
    for old in [
      try? pipeline.context(handlerType: HTTPResponseEncoder.self),
      try? pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self),
      try? pipeline.context(handlerType: TargetHosts.Reader.self),
      try? pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self), context,
    ] {
      if let old { _ = pipeline.removeHandler(context: old) }
    }
  }
}

/// What a client asks for to speak WebSocket (RFC 6455, 4.2).
enum Handshake {
  static let version = HTTPField.Name("Sec-WebSocket-Version")!
  static let key = HTTPField.Name("Sec-WebSocket-Key")!
  static let accept = HTTPField.Name("Sec-WebSocket-Accept")!
  static let protocols = HTTPField.Name("Sec-WebSocket-Protocol")!

  /// Whether a request asks for it.
  static func isAsked(_ head: HTTPRequest) -> Bool {
    head.method == .get && words(head.headerFields, .upgrade).contains { $0.lowercased() == "websocket" }
      && words(head.headerFields, .connection).contains { $0.lowercased() == "upgrade" }
  }

  /// The words of a list.
  static func words(_ fields: HTTPFields, _ name: HTTPField.Name) -> [String] {
    fields[values: name].flatMap { $0.split(separator: ",") }
      .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
  }

  /// The answer to a key; nil where it is none.
  static func answer(to key: String) -> String? {
    guard key.utf8.count == 24, Data(base64Encoded: key)?.count == 16 else { return nil }
    var digest = [UInt8](repeating: 0, count: 20)
    var length: UInt32 = 20
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    guard EVP_Digest(text, text.count, &digest, &length, EVP_sha1(), nil) == 1 else { return nil }
    return Data(digest).base64EncodedString()
  }
}
