import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import JSONText
import LiveSessions
import NIOWebSocket
import ServiceLifecycle

/// `GET /v1/sessions/{id}/socket`: a session over one WebSocket, batches in and updates out, with the numbers, tokens,
/// answers and limits of the calls over HTTP.
///
/// A message from the client is `{"seq":N}`, a line break and the batch; or `{"finish":{}}`. Answers have `seq` or
/// `finish`, and `status`; updates are `{"id":I,"update":<line>}`; what else happens is `{"event":"...","data":...}`.
struct SessionSocket: Sendable {
  let service: LiveService
  /// Bytes of a message beside its batch.
  static let largestFirstLine = 256
  /// Batches of a connection that wait for their answer; then no more is read from it.
  private static let unanswered = 16
  private static let name = "fuse.v1"
  private static let tokenPrefix = "fuse.token."

  @Sendable func open(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let offered = Handshake.words(request.headers, Handshake.protocols)
    var tokens = [SessionCalls.bearer(request), request.uri.queryParameters["token"].map(String.init)].compactMap { $0 }
    // A browser sets no headers.
    tokens += offered.filter { $0.hasPrefix(Self.tokenPrefix) }.map { String($0.dropFirst(Self.tokenPrefix.count)) }
    let session = try await SessionCalls.session(context.parameters.get("id") ?? "", tokens, service, .read)
    // Never by ?token=, which is for reading.
    let query = request.uri.queryParameters["token"].map(String.init)
    let maySend = tokens.contains { $0 != query && session.identity.ingest.matches($0) }
    let wish: SessionReader.Wish
    do throws(SessionReader.Wish.Fault) { wish = try UpdateStream.wish(request) } catch {
      return Answers.error(.badRequest, error.words)
    }
    let headers: HTTPFields
    switch Self.handshake(request, offered, Self.name) {
    case .failure(let refusal): return refusal.outcome.response
    case .success(let fields): headers = fields
    }
    let (signals, number) = try await UpdateStream.changes(session)
    return UpdateStream.response(service, .switchingProtocols, headers) { [service] writer in
      if wish.showsDirections { session.watchDirections(true) }
      defer { if wish.showsDirections { session.watchDirections(false) } }
      let connection = Connection(service: service, session: session, maySend: maySend)
      try await connection.serve(request.body, SessionReader(session, wish), signals, &writer)
    } leave: {
      session.updates.leave(number)
    }
  }

  struct Refusal: Error { var outcome: Answers.Outcome }

  /// The headers that accept a WebSocket for a subprotocol, or why not.
  static func handshake(_ request: Request, _ offered: [String], _ name: String) -> Result<HTTPFields, Refusal> {
    func refuse(
      _ status: HTTPResponse.Status, _ words: String, _ fields: HTTPFields = [:]
    ) -> Result<HTTPFields, Refusal> {
      .failure(Refusal(outcome: .error(status, words, fields)))
    }
    guard Handshake.isAsked(request.head) else {
      return refuse(
        .upgradeRequired, "no WebSocket over HTTP/1.1, expected Connection: Upgrade and Upgrade: websocket",
        [.upgrade: "websocket", .connection: "Upgrade"])
    }
    guard request.headers[Handshake.version] == "13" else {
      return refuse(
        .upgradeRequired, "another Sec-WebSocket-Version, expected 13",
        [Handshake.version: "13", .upgrade: "websocket"])
    }
    guard let key = request.headers[Handshake.key], let answer = Handshake.answer(to: key) else {
      return refuse(.badRequest, "another Sec-WebSocket-Key, expected 16 bytes in base 64")
    }
    guard offered.isEmpty || offered.contains(name) else {
      return refuse(.badRequest, "another Sec-WebSocket-Protocol, expected \(name)")
    }
    var headers: HTTPFields = [.upgrade: "websocket", .connection: "Upgrade", Handshake.accept: answer]
    if !offered.isEmpty { headers[Handshake.protocols] = name }
    return .success(headers)
  }

  /// One connection: what it reads and what it writes meet in its outbox.
  private struct Connection: Sendable {
    let service: LiveService
    let session: LiveSession
    let maySend: Bool

    func serve(
      _ messages: RequestBody, _ reader: SessionReader, _ signals: AsyncStream<Void>,
      _ writer: inout any ResponseBodyWriter
    ) async throws {
      let (outbox, wakes) = Outbox.make(limit: SessionSocket.unanswered)
      let receiving = Task {
        do { for try await message in messages { await receive(message, outbox) } } catch {}
        outbox.end()
      }
      let waking = Task {
        for await _ in signals { outbox.wake() }
        outbox.stop()
      }
      defer {
        receiving.cancel()
        waking.cancel()
        outbox.end()
      }
      try await send(reader, outbox, wakes, &writer)
    }

    // MARK: out

    private func send(
      _ reader: SessionReader, _ outbox: Outbox, _ wakes: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
      var reader = reader
      var isOver = false
      var iterator = wakes.makeAsyncIterator()
      while !Task.isCancelled {
        let state = outbox.take()
        var messages = SocketMessages()
        for answer in state.answers { messages.add(text: answer) }
        var isDone = true
        var pause: Double?
        if !isOver {
          switch try reader.next() {
          case .items(let items):
            add(items, to: &messages)
            isDone = false
            pause = reader.pause
          case .wait(let items):
            add(items, to: &messages)
            if !items.isEmpty { pause = reader.pause }
          case .over(let items, let word):
            add(items, to: &messages)
            isOver = true
            if word == "moved" {
              messages.close(.goingAway, "the session moved to another node; connect again")
              return try await writer.write(messages.buffer)
            }
            // Who may send may repeat what was not answered.
            if !maySend || word != "finished" {
              messages.close(word == "failed" ? .unexpectedServerError : .normalClosure, word)
              return try await writer.write(messages.buffer)
            }
          }
        }
        if let (code, reason) = state.close {
          messages.close(code, reason)
          return try await writer.write(messages.buffer)
        }
        if !messages.isEmpty { try await writer.write(messages.buffer) }
        if state.isOver { return }
        if let pause { try? await Task.sleep(for: .seconds(pause)) }
        if isDone, await iterator.next() == nil { return }
      }
    }

    private func add(_ items: [SessionReader.Item], to messages: inout SocketMessages) {
      for item in items {
        switch item {
        case .update(let index, let line):
          messages.add(text: Array("{\"id\":\(index),\"update\":".utf8) + line + [UInt8(ascii: "}")])
        case .event(let name, let data):
          messages.add(text: Array("{\"event\":\"\(name)\",\"data\":".utf8) + data + [UInt8(ascii: "}")])
        // Pings are there.
        case .alive: break
        }
      }
    }

    // MARK: in

    private func receive(_ message: ByteBuffer, _ outbox: Outbox) async {
      guard message.readableBytes > 0 else { return }
      guard maySend else {
        return outbox.close(.policyViolation, "the token may read only, expected the ingest token")
      }
      let bytes = Array(message.readableBytesView)
      switch SocketRequest(message: bytes) {
      case .batch(let sequence, let begin):
        await outbox.room()
        outbox.expect()
        SessionCalls.take(Array(bytes[begin...]), sequence, session, service) { outcome in
          outbox.answer(SessionSocket.text(["seq": .integer(Int(sequence))], outcome))
        }
      case .finish:
        await outbox.room()
        outbox.expect()
        session.finish { reply in outbox.answer(SessionSocket.text(["finish": [:]], Answers.outcome(reply))) }
      case .fault(let words):
        outbox.expect()
        outbox.answer(SessionSocket.text([:], .error(.badRequest, words)))
      }
    }

  }

  /// An answer as a message: what it answers, its status, and what HTTP answers.
  static func text(_ head: JSONValue, _ outcome: Answers.Outcome) -> [UInt8] {
    guard case .object(var members) = head, case .object(let body) = outcome.body else { return [] }
    members.append(.init(key: "status", value: .integer(outcome.status.code)))
    members += body
    if let word = outcome.headers[Answers.refused] { members.append(.init(key: "refused", value: .string(word))) }
    if let seconds = outcome.headers[.retryAfter].flatMap({ Int($0) }) {
      members.append(.init(key: "retryAfter", value: .integer(seconds)))
    }
    var json = JSONWriter()
    json.value(.object(members))
    return json.bytes
  }
}

/// What a message from a client asks for, by its first line: pure.
package enum SocketRequest: Equatable {
  /// A batch with its number, from a byte on.
  case batch(UInt64, from: Int)
  /// The results are to be final.
  case finish
  /// None of them, in words.
  case fault(String)

  /// Reads the first line of a message.
  package init(message: [UInt8]) {
    self.init(message, alsoKnown: nil) { _ in }
  }

  /// The same of a message that carries its token: `{"seq":N,"token":"..."}`.
  package static func withToken(message: [UInt8]) -> (request: SocketRequest, token: String?) {
    var token: String?
    let request = SocketRequest(message, alsoKnown: "token") { token = $0 }
    return (request, token)
  }

  private init(_ message: [UInt8], alsoKnown: String?, _ found: (String) -> Void) {
    let end = message.firstIndex(of: 0x0A) ?? message.count
    let more = alsoKnown.map { ",\"\($0)\":\"...\"" } ?? ""
    let expected = "expected {\"seq\":N\(more)}, a line break and event lines, or {\"finish\":{}\(more)}"
    guard end <= SessionSocket.largestFirstLine, let tree = JSONValue(parsing: Array(message[..<end])),
      case .object(var members) = tree
    else {
      self = .fault("another first line, \(expected)")
      return
    }
    if let place = members.firstIndex(where: { $0.key == alsoKnown }) {
      if case .string(let text) = members.remove(at: place).value { found(text) }
    }
    guard members.count == 1 else {
      self = .fault("another first line, \(expected)")
      return
    }
    switch (members[0].key, members[0].value) {
    case ("seq", .integer(let number)) where number >= 0 && number < 1 << 53:
      self = .batch(UInt64(number), from: min(end + 1, message.count))
    case ("seq", _): self = .fault("a seq that is none, expected the batch's number from 0")
    case ("finish", _): self = .finish
    default: self = .fault("the key \(members[0].key.prefix(30)), \(expected)")
    }
  }
}

/// Where what a connection reads meets what it writes: answers in the order in which they come, a bounded number of
/// which is outstanding.
final class Outbox: @unchecked Sendable {
  private let lock = NSLock()
  private let limit: Int
  private let signal: AsyncStream<Void>.Continuation
  private var answers: [[UInt8]] = []
  private var outstanding = 0
  private var waiting: CheckedContinuation<Void, Never>?
  private var closing: (WebSocketErrorCode, String)?
  private var hasEnded = false

  private init(limit: Int, signal: AsyncStream<Void>.Continuation) { (self.limit, self.signal) = (limit, signal) }

  static func make(limit: Int) -> (Outbox, AsyncStream<Void>) {
    let (wakes, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    return (Outbox(limit: limit, signal: signal), wakes)
  }

  func wake() { signal.yield() }

  /// Waits while too many answers are outstanding.
  func room() async {
    await withCheckedContinuation { continuation in
      let isFree = lock.withLock {
        if outstanding < limit || hasEnded { return true }
        waiting = continuation
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// An answer will come.
  func expect() { lock.withLock { outstanding += 1 } }

  /// It is there.
  func answer(_ text: [UInt8]) {
    let next = lock.withLock {
      outstanding -= 1
      answers.append(text)
      defer { waiting = nil }
      return waiting
    }
    next?.resume()
    wake()
  }

  /// The connection is to be closed by us.
  func close(_ code: WebSocketErrorCode, _ reason: String) {
    lock.withLock { if closing == nil { closing = (code, reason) } }
    wake()
  }

  /// The service stops, or the session is read no longer.
  func stop() { close(.goingAway, "the service stops; connect again") }

  /// The client has gone.
  func end() {
    let next = lock.withLock {
      hasEnded = true
      defer { waiting = nil }
      return waiting
    }
    next?.resume()
    wake()
  }

  /// What there is to be sent.
  func take() -> (answers: [[UInt8]], close: (WebSocketErrorCode, String)?, isOver: Bool) {
    lock.withLock {
      defer { answers = [] }
      return (answers, outstanding == 0 ? closing : nil, hasEnded)
    }
  }
}
