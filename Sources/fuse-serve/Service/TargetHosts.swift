import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Sees that the host that a request's target names is not lost: what reads HTTP/1.1 for the router keeps the path only.
///
/// Another host than the Host header's becomes a further Host, which the gate refuses.
final class TargetHosts: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  /// In front of what keeps the path only; HTTP/2 has neither.
  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
    try? pipeline.addHandler(Reader(), position: .before(codec))
  }

  /// In front of the codec; gone where a connection becomes a WebSocket.
  final class Reader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .head(var head) = unwrapInboundIn(data),
        let other = AccessRules.otherHost(target: head.uri, host: head.headers.first(name: "Host"))
      else { return context.fireChannelRead(data) }
      head.headers.add(name: "Host", value: other)
      context.fireChannelRead(wrapInboundOut(.head(head)))
    }
  }
}
