import Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTPTypes

/// How many connections there are, and may be.
///
/// Some are taken beyond the limit: they hear that it is reached, and of how the service does, instead of waiting.
struct ConnectionLimit: AvailableConnectionsDelegate {
  /// Connections that are served.
  let served: Int
  /// Connections beyond them, which only hear so.
  static let told = 64
  private let count = NIOLockedValueBox(0)
  /// Which connections that are open were beyond the limit at their first request.
  private let known = NIOLockedValueBox<[ObjectIdentifier: Bool]>([:])

  init(served: Int) { self.served = served }

  /// Connections at present.
  var present: Int { count.withLockedValue { $0 } }
  /// Whether there are more than are served.
  var isExceeded: Bool { present > served }

  mutating func connectionOpened() { count.withLockedValue { $0 += 1 } }
  mutating func connectionClosed() { count.withLockedValue { $0 -= 1 } }
  func isAcceptingNewConnections() -> Bool { present < served + Self.told }

  /// Whether a connection was beyond the limit at its first request: it stays so, and one that was served stays served.
  func isBeyond(_ connection: any Channel) -> Bool {
    let id = ObjectIdentifier(connection)
    if let answer = known.withLockedValue({ $0[id] }) { return answer }
    let answer = isExceeded
    known.withLockedValue { $0[id] = answer }
    connection.closeFuture.whenComplete { [known] _ in known.withLockedValue { $0[id] = nil } }
    return answer
  }
}

/// Ends a response whose reader takes nothing while there is something to take, and bounds what the system keeps for one
/// that streams: a reader that stands still holds a piece of memory, for some seconds.
package final class ReaderGuard: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// Bytes that the system keeps for a stream of updates; Linux doubles them.
  static let socketBuffer: Int32 = 64 << 10

  /// Bytes that wait in the process for a stream of updates: above the higher one its writer waits.
  private static let channelBuffer = ChannelOptions.Types.WriteBufferWaterMark(low: 4 << 10, high: 16 << 10)

  private let patience: TimeAmount
  private let ended: @Sendable () -> Void
  private var unfinished = 0
  private var waitingSince: NIODeadline?
  private var check: Scheduled<Void>?

  /// A guard that waits `patience` for a reader to take something, and tells of one that it ended.
  package init(patience: TimeAmount, ended: @escaping @Sendable () -> Void) {
    self.patience = patience
    self.ended = ended
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head(let head) = unwrapOutboundIn(data),
      head.status == .switchingProtocols || head.headerFields[.contentType]?.hasPrefix("text/event-stream") == true
    {
      let connection = context.channel.connection
      _ = connection.setOption(.socketOption(.so_sndbuf), value: .init(Self.socketBuffer))
      // HTTP/2 has windows of its own.
      if connection === context.channel { _ = connection.setOption(.writeBufferWaterMark, value: Self.channelBuffer) }
    }
    unfinished += 1
    if waitingSince == nil { waitingSince = context.eventLoop.now }
    schedule(context)
    let written = promise ?? context.eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { [self] _ in
      unfinished -= 1
      waitingSince = unfinished > 0 ? context.eventLoop.now : nil
    }
    context.write(data, promise: written)
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    check?.cancel()
    check = nil
  }

  private func schedule(_ context: ChannelHandlerContext) {
    guard check == nil, let since = waitingSince else { return }
    check = context.eventLoop.assumeIsolated().scheduleTask(deadline: since + patience) { [self] in
      check = nil
      guard let since = waitingSince else { return }
      guard context.eventLoop.now - since >= patience else { return schedule(context) }
      ended()
      context.close(mode: .all, promise: nil)
    }
  }
}
