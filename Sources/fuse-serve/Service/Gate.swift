import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LiveSessions
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// What every request passes: whose it is, what is logged and counted, which headers go back.
struct Gate: RouterMiddleware {
  let service: LiveService

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    let began = DispatchTime.now().uptimeNanoseconds
    var response: Response
    let name = HTTPField.Name("Host")!
    let host = request.head.authority ?? request.headers[name]
    let named = request.headers[values: name]
    let further = request.head.authority == nil ? Array(named.dropFirst()) : named
    let origin = request.headers[.origin]
    let route = Routes.route(request.uri.path)
    if let fault = service.access.fault(host: host, further: further) {
      response = Self.answer(fault)
    } else if service.connections.isBeyond(context.channel.connection), !Self.isAboutService(route?.name) {
      response = Answers.limit(
        .serviceUnavailable, "connections",
        "more than \(service.connections.served) connections, expected fewer: --max-connections")
      response.headers[.connection] = "close"
    } else if !service.access.permits(origin: origin, host: host) {
      response = Answers.error(
        .forbidden, "another Origin than this service's, expected one of --allow-origin", [Answers.refused: "origin"])
    } else if request.method == .options {
      response = Response(status: .noContent)
    } else if let route, !route.methods.contains(request.method) {
      let methods = route.methods.map(\.rawValue).joined(separator: ", ")
      response = Answers.error(.methodNotAllowed, "another method, expected \(methods)", [.allow: methods])
    } else {
      do { response = try await next(request, context) } catch let error as HTTPError {
        response = Answers.error(error.status, error.body ?? error.status.reasonPhrase, error.headers)
      } catch let refused as SessionCalls.Refused {
        response = refused.response
      } catch is CancellationError {
        response = Answers.error(.badRequest, "the connection was closed")
      } catch LogError.full {
        response = Answers.full.response
      } catch let error as LogError where error.limit != nil {
        response = Answers.limit(.serviceUnavailable, error.limit!, "\(error)")
      } catch {
        service.logger.error("\(error)")
        response = Answers.error(.internalServerError, "an internal error")
      }
    }
    if response.status.code >= 400 {
      let limit = response.headers[Answers.refused]
      service.metrics.refusal(limit ?? Self.word(response.status.code))
      if let limit, [503, 507].contains(response.status.code) { service.readiness.refused(limit) }
    }
    addHeaders(&response, origin: origin)
    response.body = response.body.paced(by: context.channel)
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    let label = route?.name ?? "other"
    service.metrics.request(
      method: request.method.rawValue, route: label, status: response.status.code, seconds: seconds)
    // The path has a session's id and the query may have a token: neither is logged.
    var metadata: Logger.Metadata = [
      "method": "\(request.method.rawValue)", "route": "\(label)", "status": "\(response.status.code)",
      "milliseconds": "\((seconds * 1e4).rounded() / 10)",
    ]
    if let trace = request.headers[HTTPField.Name("traceparent")!], trace.utf8.count == 55 {
      metadata["traceparent"] = "\(trace)"
    }
    service.logger.log(
      level: response.status.code >= 500 && response.status.code != 503 ? .warning : .debug, "request",
      metadata: metadata)
    return response
  }

  private static func answer(_ fault: AccessRules.HostFault) -> Response {
    switch fault {
    case .malformed(let found):
      Answers.error(.badRequest, "found \(found), expected one Host and a path", [Answers.refused: "host"])
    case .foreign:
      Answers.error(
        .misdirectedRequest, "another Host than this service's, expected one of --allow-host", [Answers.refused: "host"]
      )
    }
  }

  /// What is answered beyond the limit of connections: how the service does.
  private static func isAboutService(_ route: String?) -> Bool {
    ["/healthz", "/readyz", "/metrics"].contains(route)
  }

  /// The word of a refusal whose status says all.
  private static func word(_ status: Int) -> String {
    switch status {
    case 400: "malformed"
    case 401, 403: "token"
    case 404: "unknown"
    case 405: "method"
    case 408: "slow"
    case 409: "order"
    case 413: "size"
    case 415: "encoding"
    case 429: "rate"
    case 507: "disk"
    default: status < 500 ? "other" : "failure"
    }
  }

  private func addHeaders(_ response: inout Response, origin: String?) {
    response.headers[HTTPField.Name("Content-Security-Policy")!] =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
    response.headers[HTTPField.Name("X-Content-Type-Options")!] = "nosniff"
    response.headers[HTTPField.Name("Referrer-Policy")!] = "no-referrer"
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    if let origin, service.access.origins.contains(origin) {
      response.headers[.accessControlAllowOrigin] = origin
      response.headers[.accessControlAllowHeaders] =
        "authorization, content-type, content-encoding, last-event-id, traceparent"
      response.headers[.accessControlAllowMethods] = "GET, POST, DELETE"
      response.headers[.vary] = "Origin"
    }
  }
}

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

/// How many connections there are, and may be.
///
/// Some are taken beyond the limit: they hear that it is reached, and of how the service does, instead of waiting.
struct ConnectionLimit: AvailableConnectionsDelegate {
  /// Connections that are served.
  let served: Int
  /// Connections beyond them, which only hear so.
  static let told = 64
  private let count = NIOLockedValueBox(0)
  /// Which connections that are open were beyond the limit at their first request.
  private let known = NIOLockedValueBox<[ObjectIdentifier: Bool]>([:])

  init(served: Int) { self.served = served }

  /// Connections at present.
  var present: Int { count.withLockedValue { $0 } }
  /// Whether there are more than are served.
  var isExceeded: Bool { present > served }

  mutating func connectionOpened() { count.withLockedValue { $0 += 1 } }
  mutating func connectionClosed() { count.withLockedValue { $0 -= 1 } }
  func isAcceptingNewConnections() -> Bool { present < served + Self.told }

  /// Whether a connection was beyond the limit at its first request: it stays so, and one that was served stays served.
  func isBeyond(_ connection: any Channel) -> Bool {
    let id = ObjectIdentifier(connection)
    if let answer = known.withLockedValue({ $0[id] }) { return answer }
    let answer = isExceeded
    known.withLockedValue { $0[id] = answer }
    connection.closeFuture.whenComplete { [known] _ in known.withLockedValue { $0[id] = nil } }
    return answer
  }
}

/// Ends a response whose reader takes nothing while there is something to take, and bounds what the system keeps for one
/// that streams: a reader that stands still holds a piece of memory, for some seconds.
package final class ReaderGuard: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// Bytes that the system keeps for a stream of updates; Linux doubles them.
  private static let socketBuffer: Int32 = 64 << 10

  /// Bytes that wait in the process for a stream of updates: above the higher one its writer waits.
  private static let channelBuffer = ChannelOptions.Types.WriteBufferWaterMark(low: 4 << 10, high: 16 << 10)

  private let patience: TimeAmount
  private let ended: @Sendable () -> Void
  private var unfinished = 0
  private var waitingSince: NIODeadline?
  private var check: Scheduled<Void>?

  /// A guard that waits `patience` for a reader to take something, and tells of one that it ended.
  package init(patience: TimeAmount, ended: @escaping @Sendable () -> Void) {
    self.patience = patience
    self.ended = ended
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head(let head) = unwrapOutboundIn(data),
      head.status == .switchingProtocols || head.headerFields[.contentType]?.hasPrefix("text/event-stream") == true
    {
      let connection = context.channel.connection
      _ = connection.setOption(.socketOption(.so_sndbuf), value: .init(Self.socketBuffer))
      // HTTP/2 has windows of its own.
      if connection === context.channel { _ = connection.setOption(.writeBufferWaterMark, value: Self.channelBuffer) }
    }
    unfinished += 1
    if waitingSince == nil { waitingSince = context.eventLoop.now }
    schedule(context)
    let written = promise ?? context.eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { [self] _ in
      unfinished -= 1
      waitingSince = unfinished > 0 ? context.eventLoop.now : nil
    }
    context.write(data, promise: written)
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    check?.cancel()
    check = nil
  }

  private func schedule(_ context: ChannelHandlerContext) {
    guard check == nil, let since = waitingSince else { return }
    check = context.eventLoop.assumeIsolated().scheduleTask(deadline: since + patience) { [self] in
      check = nil
      guard let since = waitingSince else { return }
      guard context.eventLoop.now - since >= patience else { return schedule(context) }
      ended()
      context.close(mode: .all, promise: nil)
    }
  }
}
