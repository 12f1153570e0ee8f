import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
import Logging

/// What every request passes: whose it is, what is logged and counted, which headers go back.
struct Gate: RouterMiddleware {
  let service: LiveService

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let began = DispatchTime.now().uptimeNanoseconds
    var response: Response
    let host = request.head.authority ?? request.headers[HTTPField.Name("Host")!]
    let origin = request.headers[.origin]
    let route = Routes.route(request.uri.path)
    if !service.access.permits(host: host) {
      response = Answers.error(.misdirectedRequest, "another Host than this service's, expected one of --allow-host")
    } else if !service.access.permits(origin: origin, host: host) {
      response = Answers.error(.forbidden, "another Origin than this service's, expected one of --allow-origin")
    } else if request.method == .options {
      response = Response(status: .noContent)
    } else if let route, !route.methods.contains(request.method) {
      let methods = route.methods.map(\.rawValue).joined(separator: ", ")
      response = Answers.error(.methodNotAllowed, "another method, expected \(methods)", [.allow: methods])
    } else {
      do { response = try await next(request, context) } catch let error as HTTPError {
        response = Answers.error(error.status, error.body ?? error.status.reasonPhrase)
      } catch is CancellationError {
        response = Answers.error(.badRequest, "the connection was closed")
      } catch {
        service.logger.error("\(error)")
        response = Answers.error(.internalServerError, "an internal error")
      }
    }
    addHeaders(&response, origin: origin)
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
      level: response.status.code >= 500 ? .warning : .debug, "request", metadata: metadata)
    return response
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
