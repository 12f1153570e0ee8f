import Datasets
import Dispatch
import EventLines
import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
import RunResults
import Settings

/// The calls of `/v1/sessions`, but the stream of updates.
struct SessionCalls: Sendable {
  let service: LiveService
  /// Largest body of a creation.
  private static let largestSetup = 1 << 18
  /// Longest time for a body to arrive: a slow sender does not hold memory.
  private static let bodyTime = 30.0

  // MARK: who may

  /// What a token may do.
  enum Right {
    /// Also with the token of its owner or an operator.
    case read
    /// Only with its own.
    case ingest
    /// To end it: with its own to send, or its owner's or an operator's.
    case delete
  }

  /// The session of a request, if its token is right; the same answer for a wrong token and no session.
  static func session(
    _ request: Request, _ context: ServiceContext, _ service: LiveService, _ right: Right
  ) async throws -> LiveSession {
    var tokens: [String] = []
    if let bearer = bearer(request) { tokens.append(bearer) }
    // EventSource sets no headers.
    if right == .read, let token = request.uri.queryParameters["token"] { tokens.append(String(token)) }
    return try await session(context.parameters.get("id") ?? "", tokens, service, right)
  }

  /// The session of an id, if one of the tokens is right.
  static func session(
    _ id: String, _ tokens: [String], _ service: LiveService, _ right: Right
  ) async throws -> LiveSession {
    guard !tokens.isEmpty else {
      throw HTTPError(.unauthorized, message: "no token, expected Authorization: Bearer ...")
    }
    let permits: @Sendable (SessionIdentity) -> Bool = { identity in
      tokens.contains { token in
        identity.ingest.matches(token) || (right == .read && identity.read.matches(token))
          || (right != .ingest && (service.tokens.token(token).map { Overview.sees($0, identity) } ?? false))
      }
    }
    do throws(SessionRegistry.Refusal) {
      if SessionIdentity.isID(id), let session = try await service.registry.find(id, permits: permits) {
        return session
      }
    } catch { throw Refused(response: Answers.refusal(error)) }
    throw HTTPError(.notFound, message: "no such session, or another token")
  }

  /// A session that cannot be had now: the answer.
  struct Refused: Error { var response: Response }

  /// The token that a request bears.
  static func bearer(_ request: Request) -> String? {
    guard let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer ") else { return nil }
    return header.dropFirst(7).trimmingCharacters(in: .whitespaces)
  }

  /// The body, unpacked, at most `limit` bytes.
  private func body(_ request: Request, limit: Int) async throws -> [UInt8] {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw HTTPError(.contentTooLarge, message: "a body of \(length) bytes, expected at most \(limit)")
    }
    let encoding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
    guard encoding == "gzip" || encoding == "identity" else {
      throw HTTPError(.unsupportedMediaType, message: "Content-Encoding \(encoding.prefix(20)), expected gzip or none")
    }
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(Self.bodyTime * 1e9)
    let bytes = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      group.addTask {
        var bytes: [UInt8] = []
        do {
          for try await part in request.body {
            guard bytes.count + part.readableBytes <= limit else {
              throw HTTPError(.contentTooLarge, message: "a body of more than \(limit) bytes, expected at most that")
            }
            bytes.append(contentsOf: part.readableBytesView)
            if DispatchTime.now().uptimeNanoseconds > deadline { throw Self.slow }
          }
        } catch let error as HTTPError { throw error } catch {
          // The sender's fault: the connection or a chunk's header ends it early.
          throw HTTPError(.badRequest, message: "a body that breaks off after \(bytes.count) bytes, expected it whole")
        }
        return bytes
      }
      group.addTask {
        try await Task.sleep(for: .seconds(Self.bodyTime))
        throw Self.slow
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
    guard encoding == "gzip" else { return bytes }
    do throws(Gunzip.Failure) { return try Gunzip.bytes(bytes, limit: limit) } catch {
      switch error {
      case .tooLarge: throw HTTPError(.contentTooLarge, message: "unpacks to more than \(limit) bytes")
      case .damaged: throw HTTPError(.badRequest, message: "a damaged gzip body, expected one whole member")
      }
    }
  }

  private static var slow: HTTPError {
    HTTPError(.requestTimeout, message: "the body took more than \(Int(bodyTime)) s, expected it at once")
  }

  /// A fault of the sender's, in words; nil for another error.
  private static func words(_ error: any Error) -> String? {
    switch error {
    case let fault as StreamFault:
      "\(fault.source) line \(fault.line): found \(fault.fault.found), expected \(fault.fault.expected)"
    case let fault as DatasetError: String("\(fault)".dropFirst("error: ".count))
    case let fault as ConfigurationFile.Fault: "\(fault)"
    default: nil
    }
  }

  // MARK: calls

  /// `POST /v1/sessions`
  @Sendable func create(_ request: Request, _ context: ServiceContext) async throws -> Response {
    var owner = SessionIdentity.defaultOwner
    if !service.tokens.isOpen {
      guard let secret = Self.bearer(request), let token = service.tokens.token(secret) else {
        return Answers.error(
          .unauthorized, "another token, expected one that may create sessions", [.wwwAuthenticate: "Bearer"])
      }
      owner = token.name
    }
    let bytes = try await body(request, limit: Self.largestSetup)
    let setup: SessionSetup
    do { setup = try SessionSetup(body: bytes) } catch {
      guard let words = Self.words(error) else { throw error }
      return Answers.error(.badRequest, words)
    }
    do {
      let created = try await service.registry.create(setup, owner: owner)
      service.logger.info("session created")
      return Answers.json(
        [
          "id": .string(created.id), "ingestToken": .string(created.ingestToken),
          "readToken": .string(created.readToken), "next": .integer(0),
          "warnings": .texts(setup.warnings),
        ], .created, [.location: "/v1/sessions/\(created.id)"])
    } catch { return Answers.refusal(error) }
  }

  /// `POST /v1/sessions/{id}/events?seq=N`
  @Sendable func events(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .ingest)
    guard let text = request.uri.queryParameters["seq"], let sequence = UInt64(text), sequence < 1 << 53 else {
      return Answers.error(.badRequest, "no seq, expected ?seq=N, the batch's number from 0")
    }
    let bytes = try await body(request, limit: service.registry.limits.batchBytes)
    return await withCheckedContinuation { continuation in
      Self.take(bytes, sequence, session, service) { continuation.resume(returning: $0.response) }
    }
  }

  /// Hands over a batch, whatever carried it; `reply` is called once, at once where it cannot be one.
  static func take(
    _ bytes: [UInt8], _ sequence: UInt64, _ session: LiveSession, _ service: LiveService,
    reply: @escaping @Sendable (Answers.Outcome) -> Void
  ) {
    let batch: EventBatch
    do { batch = try EventBatch(bytes, longestLine: service.registry.limits.lineBytes) } catch {
      if let words = words(error) { return reply(.error(.badRequest, words)) }
      service.logger.error("\(error)")
      return reply(.error(.internalServerError, "an internal error"))
    }
    let began = DispatchTime.now().uptimeNanoseconds
    session.submit(sequence, batch) { answer in
      service.metrics.batch(
        events: batch.events.count, bytes: bytes.count, reply: answer,
        seconds: Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9)
      reply(Answers.outcome(answer))
    }
  }

  /// `POST /v1/sessions/{id}/finish`
  @Sendable func finish(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .ingest)
    let reply = await withCheckedContinuation { continuation in
      session.finish { continuation.resume(returning: $0) }
    }
    return Answers.reply(reply)
  }

  /// `GET /v1/sessions/{id}`
  @Sendable func status(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .read)
    let status = session.currentStatus
    let updates = session.updates.state
    return Answers.json([
      "id": .string(session.identity.id),
      "state": .string(session.isSuspended ? "suspended" : status.state.rawValue),
      "next": .integer(Int(status.next)), "ended": .bool(status.hasEnded), "created": .integer(Int(status.created)),
      "counts": [
        "updates": .integer(updates.count), "bytes": .integer(status.bytes),
        "events": .object(
          LineStream.allCases.sorted().map { .init(key: $0.rawValue, value: .integer(status.events[$0] ?? 0)) }),
        "damaged": .object(
          status.damage.sorted { $0.key < $1.key }.map { stream, kinds in
            .init(
              key: stream.rawValue,
              value: .sorted(
                Dictionary(uniqueKeysWithValues: kinds.map { ($0.key.rawValue, .integer($0.value)) })))
          }),
      ],
      "rates": ["events": .number(status.eventRate)], "lag": .number(status.lag), "waiting": .integer(status.waiting),
      "readers": .integer(session.updates.readerCount),
      "warnings": .texts(status.skips + status.warnings),
      "verdict": session.verdict?.json ?? .null, "failure": .string(status.failure),
    ])
  }

  /// `DELETE /v1/sessions/{id}`
  @Sendable func delete(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .delete)
    do throws(SessionRegistry.Refusal) {
      guard try await service.registry.delete(session) else { return Answers.error(.notFound, "no such session") }
      return Response(status: .noContent)
    } catch { return Answers.refusal(error) }
  }

  /// `GET /v1/sessions/{id}/result.json`: of the moment, until the session is finished.
  @Sendable func result(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .read)
    let document = await withCheckedContinuation { continuation in
      session.result { continuation.resume(returning: $0) }
    }
    guard let document else {
      if let cause = session.currentStatus.failure { return Answers.reply(.failed(cause)) }
      return Answers.error(.notFound, "no such session, or none that can be computed now")
    }
    return Answers.bytes(document, "application/json")
  }

  /// `GET /v1/sessions/{id}/trajectory.tum`; `?from=` a byte: what came since.
  @Sendable func trajectory(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .read)
    guard let from = UInt64(request.uri.queryParameters["from"] ?? "0") else {
      return Answers.error(.badRequest, "another from, expected a byte of the file, from 0")
    }
    return Answers.file("\(session.folder)/trajectory.tum", "text/plain; charset=utf-8", from: from)
  }

  /// `GET /v1/sessions/{id}/updates.jsonl`: the updates so far as a file.
  @Sendable func updatesFile(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .read)
    return Answers.file("\(session.folder)/updates.jsonl", "application/x-ndjson")
  }

  /// `GET /v1/sessions/{id}/recording`
  @Sendable func recording(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await Self.session(request, context, service, .read)
    let registry = service.registry
    let path = try await Blocking.run { try registry.recording(of: session) }
    return Answers.file(
      path, "application/x-tar", isTemporary: true,
      [.contentDisposition: "attachment; filename=\"\(session.identity.id).tar\""])
  }
}

/// Work that waits for the disk, off Swift's pool of threads, which serves all requests.
enum Blocking {
  /// Runs `body` on a thread that may wait.
  ///
  /// - Throws: `LogError.thread` where the system gives none: its queues would wait for one without a word.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try OwnThread.probe()
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result(catching: body)) }
    }
  }
}

/// Unpacks gzip, at most so many bytes: a small body must not become a large one.
enum Gunzip {
  enum Failure: Error, Equatable {
    /// More than the limit.
    case tooLarge
    /// No gzip, or cut off.
    case damaged
  }

  /// The unpacked bytes.
  static func bytes(_ packed: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    let inflater = Inflater(.gzip)
    var unpacked: [UInt8] = []
    do {
      let isSound = try inflater.feed(packed) { piece in
        guard unpacked.count + piece.count <= limit else { throw Failure.tooLarge }
        unpacked += piece
      }
      guard isSound, inflater.hasEnded else { throw Failure.damaged }
    } catch { throw error as? Failure ?? .damaged }
    return unpacked
  }
}
