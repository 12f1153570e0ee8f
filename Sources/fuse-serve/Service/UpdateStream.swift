import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
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
