import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
import ServiceLifecycle

/// `GET /v1/sessions/{id}/updates`: server-sent events of the stored updates, at the reader's pace.
///
/// A reader is served from the stored lines, a piece at a time: nothing is queued for it, and a slow one holds up nobody.
struct UpdateStream: Sendable {
  let service: LiveService
  /// Bytes of updates that are read at a time.
  static let piece = 8 << 10
  /// Seconds between signs of life.
  static let heartbeat = 15.0
  /// Updates from which a reader with a rate takes the newest: of a long history it wants the present.
  private static let present = 4096

  /// What a reader asked for.
  private struct Wish: Sendable {
    var cursor = UpdateCursor()
    var rate: Double?
    var tellsLatency = false
    var showsDirections = false
  }

  @Sendable func open(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try SessionCalls.session(request, context, service, .read)
    let query = request.uri.queryParameters
    var wish = Wish()
    if let last = request.headers[HTTPField.Name("Last-Event-ID")!] ?? query["lastEventId"].map(String.init) {
      guard let resumed = UpdateCursor(lastEventID: last) else {
        return Answers.error(.badRequest, "Last-Event-ID is no index of an update, expected a whole number")
      }
      wish.cursor = resumed
    }
    if let text = query["rate"] {
      guard let value = Double(text), value >= 0.1, value <= 1000 else {
        return Answers.error(.badRequest, "another rate, expected updates a second and peer from 0.1 to 1000")
      }
      wish.rate = value
    }
    let details = (query["details"] ?? "").split(separator: ",")
    (wish.tellsLatency, wish.showsDirections) = (details.contains("latency"), details.contains("directions"))
    // A finished session's file is read once for it: not on the threads that serve requests.
    let (signals, number) =
      session.updates.isOpen
      ? try session.updates.changes() : try await Blocking.run { try session.updates.changes() }
    return Self.stream(service) { [wish] writer in
      if wish.showsDirections { session.watchDirections(true) }
      defer { if wish.showsDirections { session.watchDirections(false) } }
      try await Self.serve(session, wish, signals, &writer)
    } leave: {
      session.updates.leave(number)
    }
  }

  /// A response of server-sent events; `leave` ends its signals, once it is over or the service stops.
  static func stream(
    _ service: LiveService, _ body: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void,
    leave: @escaping @Sendable () -> Void
  ) -> Response {
    // Also a response that nobody asks for its body, such as that of HEAD, lets go.
    let ending = Ending(leave)
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store, no-transform"],
      body: ResponseBody { [service] writer in
        service.metrics.reader(+1)
        defer {
          ending.end()
          service.metrics.reader(-1)
        }
        try await withGracefulShutdownHandler {
          // The head leaves at once, and proxies see that it is a stream.
          try await writer.write(ByteBuffer(string: ": updates\n\n"))
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
    _ session: LiveSession, _ wish: Wish, _ signals: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
  ) async throws {
    var cursor = wish.cursor
    var position = try session.updates.position(of: cursor.next)
    var lastWrite = DispatchTime.now().uptimeNanoseconds
    var isSuspended = false
    var directions = 0
    var told = 0
    var verdict: RunVerdict?
    var iterator = signals.makeAsyncIterator()
    while !Task.isCancelled, !Task.isShuttingDownGracefully {
      let state = session.updates.state
      // Before the updates that rest on it.
      if let now = session.verdict, now != verdict {
        verdict = now
        try await writer.write(ByteBuffer(bytes: event("verdict", now.json)))
      }
      var text: [UInt8] = []
      if wish.rate != nil {
        text = try newest(session, &cursor, &position, count: state.count, wish.tellsLatency)
      } else if cursor.next < state.count {
        if position.index < cursor.next { position = try session.updates.position(of: cursor.next) }
        let lines = try session.updates.read(&position, bytes: piece)
        for (index, line) in zip(cursor.chunk(of: cursor.next + lines.count, limit: .max), lines) {
          append(index, line, session, wish.tellsLatency, to: &text)
        }
      }
      if !text.isEmpty {
        try await writer.write(ByteBuffer(bytes: text))
        lastWrite = DispatchTime.now().uptimeNanoseconds
        if let rate = wish.rate, !state.isFinal { try? await Task.sleep(for: .seconds(1 / rate)) }
      }
      if cursor.next < session.updates.state.count { continue }
      if wish.showsDirections {
        let new = session.directions(after: directions)
        directions = new.newest
        for line in new.lines {
          try await writer.write(ByteBuffer(bytes: Array("event: directions\ndata: ".utf8) + line + [0x0A, 0x0A]))
        }
      }
      let status = session.currentStatus
      if status.skipTurn != told {
        told = status.skipTurn
        let lines = JSONValue.array(status.skips.map { .string($0) })
        try await writer.write(ByteBuffer(bytes: event("warning", ["warnings": lines])))
        lastWrite = DispatchTime.now().uptimeNanoseconds
      }
      for (isOver, word) in [
        (session.isDeleted, "deleted"), (state.isFinal, "finished"), (status.state == .failed, "failed"),
      ] where isOver {
        return try await writer.write(ByteBuffer(string: "event: state\ndata: {\"state\":\"\(word)\"}\n\n"))
      }
      if session.isSuspended != isSuspended {
        isSuspended.toggle()
        try await writer.write(
          ByteBuffer(string: "event: state\ndata: {\"state\":\"\(isSuspended ? "suspended" : "active")\"}\n\n"))
        lastWrite = DispatchTime.now().uptimeNanoseconds
      } else if Double(DispatchTime.now().uptimeNanoseconds - lastWrite) * 1e-9 > heartbeat - 5 {
        try await writer.write(ByteBuffer(string: ": still here\n\n"))
        lastWrite = DispatchTime.now().uptimeNanoseconds
      }
      // Housekeeping wakes every reader once in five seconds.
      if await iterator.next() == nil { return }
    }
  }

  /// An event without an id.
  private static func event(_ name: String, _ data: JSONValue) -> [UInt8] {
    var json = JSONBuffer()
    json.value(data)
    return Array("event: \(name)\ndata: ".utf8) + json.bytes + [0x0A, 0x0A]
  }

  /// The newest update of each peer of those not yet sent, as text, with the count of those left out.
  private static func newest(
    _ session: LiveSession, _ cursor: inout UpdateCursor, _ position: inout UpdateStore.Position, count: Int,
    _ tellsLatency: Bool
  ) throws -> [UInt8] {
    guard cursor.next < count else { return [] }
    if count - cursor.next > present { cursor.skip(to: count - present) }
    if position.index != cursor.next { position = try session.updates.position(of: cursor.next) }
    var peers: [UpdatePeer?] = []
    var last: [UpdatePeer?: ArraySlice<UInt8>] = [:]
    while position.index < count {
      let lines = try session.updates.read(&position, bytes: piece, lines: count - position.index)
      if lines.isEmpty { break }
      for line in lines {
        let peer = UpdatePeer(line: line)
        peers.append(peer)
        // A copy: a slice holds all that was read with it.
        last[peer] = ArraySlice(Array(line))
      }
    }
    let first = cursor.next
    let wanted = cursor.newest(peers)
    let missed = cursor.takeMissed()
    var text: [UInt8] = missed > 0 ? Array("event: missed\ndata: \(missed)\n\n".utf8) : []
    for index in wanted { append(index, last[peers[index - first]]!, session, tellsLatency, to: &text) }
    return text
  }

  private static func append(
    _ index: Int, _ line: ArraySlice<UInt8>, _ session: LiveSession, _ tellsLatency: Bool, to text: inout [UInt8]
  ) {
    text += Array("id: \(index)\nevent: update\ndata: ".utf8)
    text += line
    text += [0x0A, 0x0A]
    guard tellsLatency else { return }
    let latency = session.updates.latency(index)
    text += event(
      "latency",
      [
        "index": .integer(index), "arrival": latency.map { .integer(Int($0.arrival)) } ?? .null,
        "published": latency.map { .integer(Int($0.published)) } ?? .null,
        "rates": ["events": .number(session.currentStatus.eventRate)],
      ])
  }
}
