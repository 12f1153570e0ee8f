import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
import ServiceLifecycle

/// `GET /v1/sessions/{id}/updates`: server-sent events of the stored updates, at the reader's pace.
///
/// A reader is served from the stored lines: nothing is queued for it, and a slow one holds up nobody.
struct UpdateStream: Sendable {
  let service: LiveService
  /// Updates read at a time.
  private static let chunk = 64
  /// Seconds between signs of life.
  private static let heartbeat = 15.0

  @Sendable func open(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    let session = try SessionCalls.session(request, context, service, .read)
    let query = request.uri.queryParameters
    var cursor = UpdateCursor()
    if let last = request.headers[HTTPField.Name("Last-Event-ID")!] ?? query["lastEventId"].map(String.init) {
      guard let resumed = UpdateCursor(lastEventID: last) else {
        return Answers.error(.badRequest, "Last-Event-ID is no index of an update, expected a whole number")
      }
      cursor = resumed
    }
    var rate: Double?
    if let text = query["rate"] {
      guard let value = Double(text), value >= 0.1, value <= 1000 else {
        return Answers.error(.badRequest, "another rate, expected updates a second and peer from 0.1 to 1000")
      }
      rate = value
    }
    let details = (query["details"] ?? "").split(separator: ",")
    let tellsLatency = details.contains("latency"), showsDirections = details.contains("directions")
    let begin = cursor, pace = rate
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store, no-transform"],
      body: ResponseBody { [service] writer in
        let (signals, number) = session.updates.changes()
        service.metrics.reader(+1)
        if showsDirections { session.watchDirections(true) }
        defer {
          if showsDirections { session.watchDirections(false) }
          session.updates.leave(number)
          service.metrics.reader(-1)
        }
        try await withGracefulShutdownHandler {
          try await Self.serve(session, begin, pace, tellsLatency, showsDirections, signals, &writer)
        } onGracefulShutdown: {
          session.updates.leave(number)
        }
        try await writer.finish(nil)
      })
  }

  private static func serve(
    _ session: LiveSession, _ begin: UpdateCursor, _ rate: Double?, _ tellsLatency: Bool, _ showsDirections: Bool,
    _ signals: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
  ) async throws {
    var cursor = begin
    var lastWrite = DispatchTime.now().uptimeNanoseconds
    var isSuspended = false
    var directions = 0
    var told = 0
    var iterator = signals.makeAsyncIterator()
    // The head leaves at once, and proxies see that it is a stream.
    try await writer.write(ByteBuffer(string: ": updates\n\n"))
    while !Task.isCancelled, !Task.isShuttingDownGracefully {
      let state = session.updates.state
      var text: [UInt8] = []
      if let rate {
        let new = min(cursor.next, state.count)..<state.count
        // Of a long history a reader with a rate wants the present.
        if new.count > 4096 { cursor.skip(to: state.count - 4096) }
        let wanted = cursor.newest(session.updates.peers(min(cursor.next, state.count)..<state.count))
        let missed = cursor.takeMissed()
        if missed > 0 { text += Array("event: missed\ndata: \(missed)\n\n".utf8) }
        for index in wanted {
          append(index, try session.updates.lines(index..<index + 1)[0], session, tellsLatency, to: &text)
        }
        if !text.isEmpty {
          try await writer.write(ByteBuffer(bytes: text))
          lastWrite = DispatchTime.now().uptimeNanoseconds
          if !state.isFinal { try? await Task.sleep(for: .seconds(1 / rate)) }
        }
      } else {
        let range = cursor.chunk(of: state.count, limit: chunk)
        for (index, line) in zip(range, try session.updates.lines(range)) {
          append(index, line, session, tellsLatency, to: &text)
        }
        if !text.isEmpty {
          try await writer.write(ByteBuffer(bytes: text))
          lastWrite = DispatchTime.now().uptimeNanoseconds
        }
      }
      if cursor.next < session.updates.state.count { continue }
      if showsDirections {
        let new = session.directions(after: directions)
        directions = new.newest
        for line in new.lines {
          try await writer.write(ByteBuffer(bytes: Array("event: directions\ndata: ".utf8) + line + [0x0A, 0x0A]))
        }
      }
      let status = session.currentStatus
      if status.skipTurn != told {
        told = status.skipTurn
        try await writer.write(ByteBuffer(bytes: Self.warning(status.skips)))
        lastWrite = DispatchTime.now().uptimeNanoseconds
      }
      if session.isDeleted {
        try await writer.write(ByteBuffer(string: "event: state\ndata: {\"state\":\"deleted\"}\n\n"))
        return
      }
      if state.isFinal, cursor.next >= session.updates.state.count {
        try await writer.write(ByteBuffer(string: "event: state\ndata: {\"state\":\"finished\"}\n\n"))
        return
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

  /// What of the measurements is not used, as an event.
  private static func warning(_ lines: [String]) -> [UInt8] {
    var json = JSONBuffer()
    json.value(["warnings": .array(lines.map { .string($0) })])
    return Array("event: warning\ndata: ".utf8) + json.bytes + [0x0A, 0x0A]
  }

  private static func append(
    _ index: Int, _ line: [UInt8], _ session: LiveSession, _ tellsLatency: Bool, to text: inout [UInt8]
  ) {
    text += Array("id: \(index)\nevent: update\ndata: ".utf8)
    text += line
    text += [0x0A, 0x0A]
    guard tellsLatency else { return }
    let latency = session.updates.latency(index)
    var json = JSONBuffer()
    json.value([
      "index": .integer(index), "arrival": latency.map { .integer(Int($0.arrival)) } ?? .null,
      "published": latency.map { .integer(Int($0.published)) } ?? .null,
      "rates": ["events": .number(session.currentStatus.eventRate)],
    ])
    text += Array("event: latency\ndata: ".utf8) + json.bytes + [0x0A, 0x0A]
  }
}
