import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import JSONText
import LiveSessions

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
        "ready": .bool(causes.isEmpty), "causes": .array(causes.map { .string($0) }),
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
