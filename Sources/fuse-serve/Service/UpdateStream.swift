import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import JSONText
import LiveSessions
import RunResults
import ServiceLifecycle

/// `GET /v1/sessions/{id}/updates`: server-sent events of what a reader gets, at the reader's pace.
struct UpdateStream: Sendable {
  let service: LiveService

  @Sendable func open(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await SessionCalls.session(request, context, service, .read)
    let wish: SessionReader.Wish
    do throws(SessionReader.Wish.Fault) { wish = try Self.wish(request) } catch {
      return Answers.error(.badRequest, error.words)
    }
    let (signals, number) = try await Self.changes(session)
    return Self.stream(service) { writer in
      if wish.showsDirections { session.watchDirections(true) }
      defer { if wish.showsDirections { session.watchDirections(false) } }
      try await Self.serve(SessionReader(session, wish), signals, &writer)
    } leave: {
      session.updates.leave(number)
    }
  }

  /// What the reader of a request asks for.
  static func wish(_ request: Request) throws(SessionReader.Wish.Fault) -> SessionReader.Wish {
    let query = Dictionary(request.uri.queryParameters.map { ($0.key, $0.value) }) { first, _ in first }
    return try SessionReader.Wish(query: query, lastEventID: request.headers[HTTPField.Name("Last-Event-ID")!])
  }

  /// Signals of a session's updates.
  static func changes(_ session: LiveSession) async throws -> (signals: AsyncStream<Void>, number: Int) {
    // A finished session's file is read once for it: not on the threads that serve requests.
    session.updates.isOpen
      ? try session.updates.changes() : try await Blocking.run { try session.updates.changes() }
  }

  /// A response of server-sent events; `leave` ends its signals, once it is over or the service stops.
  static func stream(
    _ service: LiveService, _ body: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void,
    leave: @escaping @Sendable () -> Void
  ) -> Response {
    response(
      service, .ok, [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store, no-transform"],
      { writer in
        // The head leaves at once, and proxies see that it is a stream.
        try await writer.write(ByteBuffer(string: ": updates\n\n"))
        try await body(&writer)
      }, leave: leave)
  }

  /// A response that lasts; `leave` ends its signals, once it is over or the service stops.
  static func response(
    _ service: LiveService, _ status: HTTPResponse.Status, _ headers: HTTPFields,
    _ body: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void,
    leave: @escaping @Sendable () -> Void
  ) -> Response {
    // Also a response that nobody asks for its body, such as that of HEAD, lets go.
    let ending = Ending(leave)
    return Response(
      status: status, headers: headers,
      body: ResponseBody { [service] writer in
        service.metrics.reader(+1)
        defer {
          ending.end()
          service.metrics.reader(-1)
        }
        try await withGracefulShutdownHandler {
          try await body(&writer)
        } onGracefulShutdown: {
          ending.end()
        }
        try await writer.finish(nil)
      })
  }

  /// Calls something once: when told, or when nobody holds it any longer.
  private final class Ending: @unchecked Sendable {
    private let lock = NSLock()
    private var body: (@Sendable () -> Void)?
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    func end() {
      let due = lock.withLock {
        defer { body = nil }
        return body
      }
      due?()
    }
    deinit { body?() }
  }

  private static func serve(
    _ reader: SessionReader, _ signals: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
  ) async throws {
    var reader = reader
    var iterator = signals.makeAsyncIterator()
    while !Task.isCancelled, !Task.isShuttingDownGracefully {
      switch try reader.next() {
      case .items(let items):
        try await write(items, &writer)
        if let pause = reader.pause { try? await Task.sleep(for: .seconds(pause)) }
      case .wait(let items):
        try await write(items, &writer)
        if let pause = reader.pause, !items.isEmpty { try? await Task.sleep(for: .seconds(pause)) }
        // Housekeeping wakes every reader once in five seconds.
        if await iterator.next() == nil { return }
      case .over(let items, let state):
        // What reads events connects again, soon, and says what it has.
        if state == "moved" { return try await writer.write(ByteBuffer(string: "retry: 300\n\n")) }
        return try await write(items, &writer)
      }
    }
  }

  private static func write(_ items: [SessionReader.Item], _ writer: inout any ResponseBodyWriter) async throws {
    guard !items.isEmpty else { return }
    var text: [UInt8] = []
    for item in items {
      switch item {
      case .update(let index, let line):
        text += Array("id: \(index)\nevent: update\ndata: ".utf8)
        text += line
      case .event(let name, let data):
        text += Array("event: \(name)\ndata: ".utf8)
        text += data
      case .alive: text += Array(": still here".utf8)
      }
      text += [0x0A, 0x0A]
    }
    try await writer.write(ByteBuffer(bytes: text))
  }
}

/// `GET /v1/updates`: server-sent events of all sessions of a token, in the order of their publication, from now on.
///
/// `Last-Event-ID` resumes behind an update: with everything since then while the service remembers its order, otherwise
/// with that session's updates and the present of the others, which `event: missed` tells.
struct FeedStream: Sendable {
  let service: LiveService
  /// Publications that are looked at at a time.
  private static let step = 256

  @Sendable func open(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let token = try Overview.token(request, service)
    var resumed: (session: LiveSession, index: Int)?
    if let last = request.headers[HTTPField.Name("Last-Event-ID")!] {
      let parts = last.split(separator: ":")
      guard parts.count == 2, SessionIdentity.isID(String(parts[0])),
        let cursor = UpdateCursor(lastEventID: String(parts[1]))
      else {
        return Answers.error(.badRequest, "Last-Event-ID is no update, expected <session>:<index>")
      }
      if let session = service.registry.session(String(parts[0])), Overview.sees(token, session.identity) {
        resumed = (session, cursor.next - 1)
      }
    }
    let feed = service.registry.feed
    let (signals, number) = feed.changes()
    let begin = feed.end
    return UpdateStream.stream(service) { [service, resumed] writer in
      var reader = Reader(service: service, token: token, next: begin)
      if let resumed { try await reader.resume(resumed.session, resumed.index, &writer) }
      try await reader.serve(signals, &writer)
    } leave: {
      feed.leave(number)
    }
  }

  /// One reader: where it is in the order, and no more.
  private struct Reader {
    let service: LiveService
    let token: AccessTokens.Token
    /// The number of the next publication.
    var next: Int
    /// Updates of a session that it has already, of a publication that it got a part of.
    private var had: (session: UInt64, index: Int)?
    private var lastWrite = DispatchTime.now().uptimeNanoseconds
    /// What the reader was told of the sessions that it sees.
    private var verdicts: [UInt64: RunVerdict] = [:]

    init(service: LiveService, token: AccessTokens.Token, next: Int) {
      (self.service, self.token, self.next) = (service, token, next)
    }

    mutating func resume(_ session: LiveSession, _ index: Int, _ writer: inout any ResponseBodyWriter) async throws {
      if let number = service.registry.feed.number(of: session.number, index) {
        (next, had) = (number, (session.number, index))
        return
      }
      try await writer.write(ByteBuffer(string: "event: missed\ndata: unknown\n\n"))
      let count = session.updates.state.count
      if index + 1 < count { try await send(session, index + 1..<count, &writer) }
      had = (session.number, count - 1)
    }

    mutating func serve(_ signals: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter) async throws {
      var iterator = signals.makeAsyncIterator()
      while !Task.isCancelled, !Task.isShuttingDownGracefully {
        let (missed, entries) = service.registry.feed.entries(from: next, limit: FeedStream.step)
        next += missed + entries.count
        if missed > 0 { try await writer.write(ByteBuffer(string: "event: missed\ndata: \(missed)\n\n")) }
        for entry in entries {
          guard let session = service.registry.session(number: entry.session), Overview.sees(token, session.identity)
          else {
            continue
          }
          var updates = entry.updates
          if let had, had.session == entry.session {
            updates = min(max(updates.lowerBound, had.index + 1), updates.upperBound)..<updates.upperBound
          }
          // Before the updates that rest on it.
          try await tell(session, &writer)
          if !updates.isEmpty { try await send(session, updates, &writer) }
        }
        if !entries.isEmpty { continue }
        // The end of a session may change it, without an update.
        for number in verdicts.keys.sorted() {
          if let session = service.registry.session(number: number) { try await tell(session, &writer) }
        }
        if Double(DispatchTime.now().uptimeNanoseconds - lastWrite) * 1e-9 > SessionReader.heartbeat - 5 {
          try await write(Array(": still here\n\n".utf8), &writer)
        }
        if await iterator.next() == nil { return }
      }
    }

    private mutating func write(_ text: [UInt8], _ writer: inout any ResponseBodyWriter) async throws {
      try await writer.write(ByteBuffer(bytes: text))
      lastWrite = DispatchTime.now().uptimeNanoseconds
    }

    private mutating func tell(_ session: LiveSession, _ writer: inout any ResponseBodyWriter) async throws {
      guard let verdict = session.verdict, verdict != verdicts[session.number] else { return }
      verdicts[session.number] = verdict
      let json: JSONValue = ["session": .string(session.identity.id), "verdict": verdict.json]
      try await write(Array("event: verdict\ndata: ".utf8) + json.bytes + [0x0A, 0x0A], &writer)
    }

    private mutating func send(
      _ session: LiveSession, _ updates: Range<Int>, _ writer: inout any ResponseBodyWriter
    ) async throws {
      // Open for as long as it is read: a session that is over holds nothing.
      let (_, number) = try session.updates.changes()
      defer { session.updates.leave(number) }
      var position = try session.updates.position(of: updates.lowerBound)
      let id = session.identity.id
      while position.index < updates.upperBound {
        let first = position.index
        let lines = try session.updates.read(
          &position, bytes: SessionReader.piece, lines: updates.upperBound - position.index)
        if lines.isEmpty { return }
        var text: [UInt8] = []
        for (offset, line) in lines.enumerated() {
          text += Array("id: \(id):\(first + offset)\nevent: update\ndata: {\"session\":\"\(id)\",\"update\":".utf8)
          text += line
          text += Array("}\n\n".utf8)
        }
        try await write(text, &writer)
      }
    }
  }
}
