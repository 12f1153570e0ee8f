import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
import Logging

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
