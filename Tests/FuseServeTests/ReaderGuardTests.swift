import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing
import fuse_serve

/// A reader that takes nothing while there is something to take is ended, and no other.
@Suite struct ReaderGuardTests {
  /// Holds writes until told: a socket whose reader does not read.
  private final class Dam: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    var held: [EventLoopPromise<Void>?] = []
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) { held.append(promise) }
    func release() {
      if !held.isEmpty { held.removeFirst()?.succeed() }
    }
  }

  private final class Count: @unchecked Sendable { var ended = 0 }

  private func make() throws -> (EmbeddedChannel, Dam, Count) {
    let (dam, count) = (Dam(), Count())
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([dam, ReaderGuard(patience: .seconds(30)) { count.ended += 1 }])
    try channel.connect(to: .init(unixDomainSocketPath: "/nowhere")).wait()
    return (channel, dam, count)
  }

  private func send(_ channel: EmbeddedChannel) {
    channel.pipeline.syncOperations.write(
      NIOAny(HTTPResponsePart.body(ByteBuffer(string: "update"))), promise: nil)
  }

  @Test func oneThatTakesNothingIsEnded() throws {
    let (channel, _, count) = try make()
    send(channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    #expect(channel.isActive && count.ended == 0)
    channel.embeddedEventLoop.advanceTime(by: .seconds(2))
    #expect(!channel.isActive && count.ended == 1)
  }

  @Test func aSlowOneIsServed() throws {
    let (channel, dam, count) = try make()
    for _ in 0..<40 { send(channel) }
    for _ in 0..<40 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(20))
      dam.release()
    }
    // Nothing is left for it: an hour's silence is no standing still.
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive && count.ended == 0)
    send(channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(31))
    #expect(!channel.isActive && count.ended == 1)
  }
}
