import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
import NIOWebSocket

/// One WebSocket of a session: what it reads and what it writes meet in its outbox.
protocol SocketConnection: Sendable {
  /// Answers that may be outstanding; then no more is read.
  static var limit: Int { get }
  /// Reads a message from the client.
  func receive(_ message: ByteBuffer, _ outbox: Outbox) async
  /// Writes what there is at every wake, until the client or the session is gone.
  func send(_ outbox: Outbox, _ wakes: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter) async throws
}

extension SocketConnection {
  fileprivate func serve(
    _ messages: RequestBody, _ signals: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
  ) async throws {
    let (outbox, wakes) = Outbox.make(limit: Self.limit)
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
    try await send(outbox, wakes, &writer)
  }
}

extension Handshake {
  /// A WebSocket of a session for a subprotocol, or why there is none.
  ///
  /// - Parameter isNamed: the client must ask for the subprotocol by name.
  static func open(
    _ request: Request, _ name: String, isNamed: Bool = false, _ session: LiveSession, _ service: LiveService,
    _ connection: @escaping @Sendable (SessionReader.Wish) -> any SocketConnection
  ) async throws -> Response {
    let wish: SessionReader.Wish
    do throws(SessionReader.Wish.Fault) { wish = try UpdateStream.wish(request) } catch {
      return Answers.error(.badRequest, error.words)
    }
    let offered = words(request.headers, protocols)
    guard isAsked(request.head) else {
      return Answers.error(
        .upgradeRequired, "no WebSocket over HTTP/1.1, expected Connection: Upgrade and Upgrade: websocket",
        [.upgrade: "websocket", .connection: "Upgrade"])
    }
    guard request.headers[version] == "13" else {
      return Answers.error(
        .upgradeRequired, "another Sec-WebSocket-Version, expected 13", [version: "13", .upgrade: "websocket"])
    }
    guard let key = request.headers[key], let answer = answer(to: key) else {
      return Answers.error(.badRequest, "another Sec-WebSocket-Key, expected 16 bytes in base 64")
    }
    guard offered.isEmpty || offered.contains(name) else {
      return Answers.error(.badRequest, "another Sec-WebSocket-Protocol, expected \(name)")
    }
    guard !isNamed || !offered.isEmpty else {
      return Answers.error(.badRequest, "no Sec-WebSocket-Protocol that is known, expected \(name)")
    }
    var headers: HTTPFields = [.upgrade: "websocket", .connection: "Upgrade", accept: answer]
    if !offered.isEmpty { headers[protocols] = name }
    let (signals, number) = try await UpdateStream.changes(session)
    return UpdateStream.response(service, .switchingProtocols, headers) { writer in
      try await connection(wish).serve(request.body, signals, &writer)
    } leave: {
      session.updates.leave(number)
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
