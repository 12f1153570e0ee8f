import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import JSONText
import LiveSessions
import Report

/// Responses.
enum Answers {
  /// A JSON document.
  static func json(_ value: JSONValue, _ status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]) -> Response {
    return bytes(value.bytes + [0x0A], "application/json", status, headers)
  }

  /// Some bytes.
  static func bytes(
    _ bytes: [UInt8], _ type: String, _ status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = type
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// What a call comes to: the same whatever carries it.
  struct Outcome {
    var status: HTTPResponse.Status
    var body: JSONValue
    var headers: HTTPFields = [:]

    /// As a response.
    var response: Response { json(body, status, headers) }

    /// An error, in words: what was found and what was expected.
    static func error(_ status: HTTPResponse.Status, _ message: String, _ headers: HTTPFields = [:]) -> Outcome {
      Outcome(status: status, body: ["error": .string(message)], headers: headers)
    }

    /// A limit that is reached, with its word, and the retry that it asks for, whole seconds.
    static func limit(
      _ status: HTTPResponse.Status, _ word: String, _ message: String, seconds: Double = 10
    ) -> Outcome {
      error(status, message, [refused: word, .retryAfter: "\(max(1, Int(seconds.rounded(.up))))"])
    }
  }

  /// An error, in words: what was found and what was expected.
  static func error(_ status: HTTPResponse.Status, _ message: String, _ headers: HTTPFields = [:]) -> Response {
    Outcome.error(status, message, headers).response
  }

  /// Why a request was refused, in one word, where its status does not say: for machines, and for the metrics.
  static let refused = HTTPField.Name("Fuse-Refused")!

  /// A limit that is reached, with its word, and the retry that it asks for, whole seconds.
  static func limit(
    _ status: HTTPResponse.Status, _ word: String, _ message: String, seconds: Double = 10
  ) -> Response {
    Outcome.limit(status, word, message, seconds: seconds).response
  }

  /// The disk has no more free than its reserve.
  static var full: Outcome {
    .limit(
      .init(code: 507, reasonPhrase: "Insufficient Storage"), "disk",
      "no space left on the service's disk beside its reserve, expected more: nothing was taken", seconds: 60)
  }

  /// Why a session is not created or deleted.
  static func refusal(_ refusal: SessionRegistry.Refusal) -> Response { outcome(refusal).response }

  /// The same, whatever carries it.
  static func outcome(_ refusal: SessionRegistry.Refusal) -> Outcome {
    switch refusal {
    case .tooMany(let most):
      .limit(.tooManyRequests, "sessions", "\(most) sessions are open and none is suspended, expected fewer")
    case .tooManyKept(let most):
      .limit(.tooManyRequests, "kept", "\(most) sessions are kept, expected fewer: delete some", seconds: 60)
    case .quota(let most):
      .limit(.tooManyRequests, "quota", "\(most) sessions of this token are open, expected fewer: finish some")
    case .bytes(let most):
      .limit(
        .tooManyRequests, "bytes", "\(most) bytes of this token are kept, expected fewer: delete some", seconds: 60)
    case .noThread(let cause): .limit(.serviceUnavailable, "threads", cause)
    case .noDescriptor:
      .limit(.serviceUnavailable, "descriptors", "the service has no descriptor left, expected some: raise its limit")
    case .full: full
    case .elsewhere: .limit(.serviceUnavailable, "moved", "another node has the session", seconds: 1)
    case .unreachable(let cause): .limit(.serviceUnavailable, "store", cause, seconds: 1)
    case .failed(let cause): .error(.internalServerError, cause)
    }
  }

  /// What became of a batch or a call.
  static func outcome(_ reply: LiveSession.Reply) -> Outcome {
    switch reply {
    case .accepted(let next, let skipped) where skipped.isEmpty:
      Outcome(status: .ok, body: ["next": .integer(Int(next))])
    case .accepted(let next, let skipped):
      Outcome(
        status: .ok,
        body: ["next": .integer(Int(next)), "skipped": .sorted(skipped.mapValues { .integer($0) })])
    case .different(let sequence, let taken, let found, let next):
      .error(
        .conflict,
        "batch \(sequence) was taken with other content (\(taken) bytes, here \(found)), expected the same bytes, or new "
          + "ones as batch \(next)")
    case .early(let next): Outcome(status: .conflict, body: ["next": .integer(Int(next))])
    case .finished: .error(.conflict, "the session is finished, expected no more events")
    case .tooManyPeers(let limit):
      .error(.contentTooLarge, "more than \(limit) peers, expected at most \(limit)", [refused: "peers"])
    case .tooManyBytes(let limit):
      .error(
        .contentTooLarge, "\(limit) bytes of batches and updates are kept, expected fewer: finish it, delete others",
        [refused: "bytes"])
    case .crowded(let most):
      .limit(.tooManyRequests, "sessions", "\(most) sessions are at work and none is suspended, expected fewer")
    case .noThread(let cause): .limit(.serviceUnavailable, "threads", cause)
    case .overloaded(let seconds):
      .error(
        .tooManyRequests, "more than the session can take",
        [.retryAfter: "\(max(1, Int(seconds.rounded(.up))))"])
    case .full: full
    case .failed(let cause): .error(.internalServerError, "the session failed: \(cause)")
    case .gone: .error(.notFound, "no such session")
    case .moved:
      .limit(
        .serviceUnavailable, "moved", "another node has the session, expected the call again: it is safe", seconds: 1)
    case .unreachable(let cause):
      .limit(.serviceUnavailable, "store", "\(cause), expected the call again: it is safe", seconds: 1)
    }
  }

  /// The same as a response.
  static func reply(_ reply: LiveSession.Reply) -> Response { outcome(reply).response }

  /// A file from a byte on, streamed; removed behind if `isTemporary`, with its folder.
  static func file(
    _ path: String, _ type: String, from: UInt64 = 0, isTemporary: Bool = false, _ headers: HTTPFields = [:]
  ) -> Response {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd(),
      (try? file.seek(toOffset: min(from, end))) != nil
    else { return error(.notFound, "there is none yet") }
    let size = end - min(from, end)
    if isTemporary { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
    var headers = headers
    headers[.contentType] = type
    // The file may grow meanwhile: what it was when asked for is sent.
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(contentLength: Int(size)) { writer in
        var left = Int(size)
        while left > 0, let data = try file.read(upToCount: min(left, 1 << 16)), !data.isEmpty {
          left -= data.count
          try await writer.write(ByteBuffer(bytes: data))
        }
        try await writer.finish(nil)
      })
  }
}

/// The page and the documents of the service itself.
struct Pages: Sendable {
  let service: LiveService

  /// `GET /`
  @Sendable func start(_ request: Request, _ context: ServiceContext) async throws -> Response { page() }

  /// `GET /s/{id}`: the same page; it reads the id from its address, and the token from the fragment or the query.
  @Sendable func finding(_ request: Request, _ context: ServiceContext) async throws -> Response {
    SessionIdentity.isID(context.parameters.get("id") ?? "") ? page() : Answers.error(.notFound, "no such page")
  }

  private func page() -> Response { Answers.bytes(PackageResources.finding_html, "text/html; charset=utf-8") }

  /// `GET /page.js`: the report's drawing code, then the page's own, what it says before what draws it.
  @Sendable func script(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let parts = [
      PageScripts.plot, PackageResources.sight_js, PackageResources.dial_js, PackageResources.map_js,
      PackageResources.finding_js,
    ]
    return Answers.bytes(Array(parts.joined(separator: [0x0A])), "text/javascript; charset=utf-8")
  }

  /// `GET /page.css`
  @Sendable func style(_ request: Request, _ context: ServiceContext) async throws -> Response {
    Answers.bytes(PackageResources.finding_css, "text/css; charset=utf-8")
  }

  /// `GET /openapi.json`
  @Sendable func contract(_ request: Request, _ context: ServiceContext) async throws -> Response {
    Answers.bytes(PackageResources.openapi_json, "application/json")
  }
}

/// The calls of an operator: all sessions, the metrics, whether new ones are taken.
struct Overview: Sendable {
  let service: LiveService

  /// The token of a request that may see several sessions.
  ///
  /// - Throws: `HTTPError` where none is set, or it is another one.
  static func token(_ request: Request, _ service: LiveService) throws -> AccessTokens.Token {
    guard !service.tokens.isOpen else {
      throw HTTPError(.forbidden, message: "no token is set, expected the service to have --auth-token or --tokens")
    }
    guard let secret = SessionCalls.bearer(request), let token = service.tokens.token(secret) else {
      throw HTTPError(
        .unauthorized, headers: [.wwwAuthenticate: "Bearer"],
        message: "another token, expected one that may create sessions: Authorization: Bearer ...")
    }
    return token
  }

  /// Whether a token may see a session.
  static func sees(_ token: AccessTokens.Token, _ session: SessionIdentity) -> Bool {
    token.isOperator || session.owner == token.name
  }

  /// `GET /v1/sessions`: those of the token; an operator's are all. `?limit=`, `?after=` an id: a part of them.
  @Sendable func list(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let token = try Self.token(request, service)
    let query = request.uri.queryParameters
    guard let limit = Int(query["limit"] ?? "1000"), (1...10_000).contains(limit) else {
      return Answers.error(.badRequest, "another limit, expected a whole number from 1 to 10000")
    }
    let after = query["after"].map(String.init) ?? ""
    let own = service.registry.all.filter { Self.sees(token, $0.identity) }
    let rest = own.filter { $0.identity.id > after }
    let now = LiveSession.now()
    let sessions = rest.prefix(limit).map { session -> JSONValue in
      let (status, facts) = (session.currentStatus, session.facts)
      return [
        "id": .string(session.identity.id), "owner": .string(session.identity.owner),
        "state": .string(session.isSuspended ? "suspended" : status.state.rawValue),
        "parked": .bool(!facts.isOpen && !facts.isOver), "next": .integer(Int(status.next)),
        "created": .integer(Int(status.created)), "age": .number(Double(now - status.created) * 1e-9),
        "idle": .number(facts.idle), "bytes": .integer(status.bytes + session.updates.size),
        "rates": ["events": .number(status.eventRate), "updates": .number(status.updateRate)],
        "lag": .number(status.lag), "waiting": .integer(status.waiting),
        "readers": .integer(session.updates.readerCount),
        "verdict": .string(status.verdict?.state.rawValue), "failure": .string(status.failure),
      ]
    }
    return Answers.json([
      "sessions": .array(sessions), "count": .integer(own.count),
      "next": .string(rest.count > limit ? rest[limit - 1].identity.id : nil),
    ])
  }

  /// `GET /readyz`: whether new sessions are taken, and what they lack.
  @Sendable func ready(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let (counts, causes) = (service.registry.counts, service.causes)
    return Answers.json(
      [
        "ready": .bool(causes.isEmpty), "causes": .texts(causes),
        "recovering": .integer(counts.recovering), "sessions": .integer(counts.open), "kept": .integer(counts.kept),
      ], causes.isEmpty ? .ok : .serviceUnavailable)
  }

  /// `GET /metrics`: with the operator's token where one is set.
  @Sendable func metrics(_ request: Request, _ context: ServiceContext) async throws -> Response {
    if !service.tokens.isOpen, try !Self.token(request, service).isOperator {
      return Answers.error(.forbidden, "a token that is no operator's, expected an operator's")
    }
    return Answers.bytes(
      Array(service.metrics.text(service).utf8), "text/plain; version=0.0.4; charset=utf-8")
  }
}
