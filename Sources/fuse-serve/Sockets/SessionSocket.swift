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
    return try await Handshake.open(request, Self.name, session, service) { [service] wish in
      Connection(service: service, session: session, wish: wish, maySend: maySend)
    }
  }

  private struct Connection: SocketConnection {
    static let limit = 16

    let service: LiveService
    let session: LiveSession
    let wish: SessionReader.Wish
    let maySend: Bool

    // MARK: out

    func send(
      _ outbox: Outbox, _ wakes: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
      if wish.showsDirections { session.watchDirections(true) }
      defer { if wish.showsDirections { session.watchDirections(false) } }
      var reader = try SessionReader(session, wish)
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

    func receive(_ message: ByteBuffer, _ outbox: Outbox) async {
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
    return JSONValue.object(members).bytes
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
