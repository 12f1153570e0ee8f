import Foundation
import NIOCore
import NIOPosix

/// Peer discovery for tests and demos: peers on one machine or one LAN advertise a name, find each other, and exchange
/// messages, discovery tokens for instance. Without encryption and authentication: apps bring their own network.
///
/// A question goes by UDP to a few fixed ports, of which each peer holds one; its answer names a TCP port for
/// invitations.
public final class PeerNetwork: Sendable {
  /// Name of this peer.
  public let name: String
  /// Connections that other peers open. For one reader; ends with `leave`. At most 16 wait, others are closed.
  public let invitations: AsyncStream<PeerConnection>
  private let reach: Reach
  private let ports: ClosedRange<Int>
  private let beacon: any Channel
  private let server: any Channel
  private let inviting: AsyncStream<PeerConnection>.Continuation

  private init(
    name: String, reach: Reach, ports: ClosedRange<Int>, beacon: any Channel, server: any Channel,
    invitations: (stream: AsyncStream<PeerConnection>, continuation: AsyncStream<PeerConnection>.Continuation)
  ) {
    (self.name, self.reach, self.ports, self.beacon, self.server) = (name, reach, ports, beacon, server)
    (self.invitations, inviting) = invitations
  }

  /// Starts to advertise.
  ///
  /// - Parameters:
  ///   - reach: range of advertising and browsing.
  ///   - ports: ports of beacons; the same for all peers.
  /// - Throws: `DiscoveryError`, or the system's error.
  public static func join(
    as name: String, reach: Reach = .thisMachine, ports: ClosedRange<Int> = 47801...47808
  ) async throws -> PeerNetwork {
    guard Beacon.isName(name) else { throw DiscoveryError.badName(name) }
    _ = try reach.question(port: ports.lowerBound)
    let invitations = AsyncStream<PeerConnection>.makeStream(bufferingPolicy: .bufferingOldest(16))
    let inviting = invitations.continuation
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let messages = MessageQueue()
          let handler = try MessageHandler(name: name, greetsFirst: false, messages: messages) { peer in
            let connection = PeerConnection(peer: peer, channel: channel, messages: messages.stream)
            if case .dropped = inviting.yield(connection) { channel.close(promise: nil) }
          }
          try channel.pipeline.syncOperations.addHandlers(ByteToMessageHandler(FrameDecoder()), handler)
        }
      }.bind(host: reach.host, port: 0).get()
    do {
      let answer = Beacon.answer(name: name, port: server.localAddress?.port ?? 0)
      let beacon = try await bindBeacon(answer: answer, host: reach.host, ports: ports)
      return PeerNetwork(
        name: name, reach: reach, ports: ports, beacon: beacon, server: server, invitations: invitations)
    } catch {
      try? await server.close()
      throw error
    }
  }

  private static func bindBeacon(
    answer: String, host: String, ports: ClosedRange<Int>
  ) async throws -> any Channel {
    for port in ports {
      let bootstrap = DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(BeaconHandler(answer: answer))
        }
      }
      if let channel = try? await bootstrap.bind(host: host, port: port).get() { return channel }
    }
    throw DiscoveryError.noFreePort(ports)
  }

  /// Asks for peers and collects answers for this long, seconds; all peers but this one, sorted by name.
  public func browse(for seconds: Double = 0.2) async throws -> [DiscoveredPeer] {
    // Answers beyond these are of no network for tests and demos.
    let found = AsyncStream<DiscoveredPeer>.makeStream(bufferingPolicy: .bufferingOldest(256))
    let finding = found.continuation
    let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.socketOption(.so_broadcast), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(BeaconHandler(answer: nil) { finding.yield($0) })
        }
      }.bind(host: reach.host, port: 0).get()
    for port in ports {
      let address = try reach.question(port: port)
      try? await channel.writeAndFlush(
        AddressedEnvelope(remoteAddress: address, data: ByteBuffer(string: Beacon.question)))
    }
    try? await Task.sleep(for: .seconds(seconds))
    try? await channel.close()
    finding.finish()
    var peers: Set<DiscoveredPeer> = []
    // Another machine's port may have the same number.
    for await peer in found.stream where peer.port != server.localAddress?.port || peer.name != name {
      peers.insert(peer)
    }
    return peers.sorted { ($0.name, $0.port) < ($1.name, $1.port) }
  }

  /// Opens a connection to a peer, which receives it in its `invitations`, and waits until it has greeted.
  ///
  /// - Throws: the system's error when the peer has left; `DiscoveryError.silent` where what is there is no such peer.
  public func invite(_ peer: DiscoveredPeer) async throws -> PeerConnection {
    let messages = MessageQueue()
    let greetings = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let greeting = greetings.continuation
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.seconds(MessageHandler.patience))
      .channelInitializer { [name] channel in
        channel.closeFuture.whenComplete { _ in greeting.finish() }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(FrameDecoder()),
            MessageHandler(name: name, greetsFirst: true, messages: messages) { greeting.yield($0) })
        }
      }.connect(host: peer.host, port: peer.port).get()
    let connection = PeerConnection(peer: peer.name, channel: channel, messages: messages.stream)
    // The first greeting counts: who has another name is somebody else.
    for await name in greetings.stream {
      if name == peer.name { return connection }
      break
    }
    await connection.close()
    throw DiscoveryError.silent(peer.name)
  }

  /// Looks for a peer of that name and opens a connection to it; nil where none answers within `seconds`.
  ///
  /// Of several that answer to the name the first that greets is taken: a forged answer costs its own attempt only.
  /// Attempts run side by side, at most 16 at a time.
  public func connect(to peer: String, within seconds: Double) async throws -> PeerConnection? {
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
      let found = try await browse().filter { $0.name == peer }.prefix(16)
      let connection = await withTaskGroup(of: PeerConnection?.self) { group in
        for candidate in found { group.addTask { try? await self.invite(candidate) } }
        var first: PeerConnection?
        for await connection in group {
          guard let connection else { continue }
          if first == nil { first = connection } else { await connection.close() }
        }
        return first
      }
      if let connection { return connection }
    } while ContinuousClock.now < end
    return nil
  }

  /// Stops advertising; open connections stay.
  public func leave() async {
    try? await beacon.close()
    try? await server.close()
    inviting.finish()
  }

  /// Range of discovery.
  public enum Reach: Equatable, Sendable {
    /// Processes on this machine.
    case thisMachine
    /// Machines on one network, by its IPv4 broadcast address: "192.168.1.255" for instance.
    case network(broadcast: String)

    /// Address that sockets bind to: broadcasts arrive only at sockets that are bound to all addresses.
    var host: String {
      switch self {
      case .thisMachine: "127.0.0.1"
      case .network: "0.0.0.0"
      }
    }

    /// Destination of a question to a port.
    ///
    /// - Throws: `DiscoveryError.badAddress`.
    func question(port: Int) throws -> SocketAddress {
      switch self {
      case .thisMachine: return try SocketAddress(ipAddress: host, port: port)
      case .network(let broadcast):
        guard let address = try? SocketAddress(ipAddress: broadcast, port: port), address.protocol == .inet else {
          throw DiscoveryError.badAddress(broadcast)
        }
        return address
      }
    }
  }
}

/// A peer that answered while browsing.
public struct DiscoveredPeer: Hashable, Sendable {
  /// Name of the peer.
  public let name: String
  /// Address of its answer.
  package let host: String
  /// TCP port for invitations.
  package let port: Int

  /// A peer from its parts.
  package init(name: String, host: String, port: Int) {
    self.name = name
    self.host = host
    self.port = port
  }
}

/// Errors of peer discovery and messages.
public enum DiscoveryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A name is 1 to 64 bytes without control characters.
  case badName(String)
  /// No IPv4 broadcast address.
  case badAddress(String)
  /// Every beacon port is in use: one peer for each port.
  case noFreePort(ClosedRange<Int>)
  /// A message exceeds this limit, bytes.
  case messageTooLong(Int)
  /// A peer that is connected says nothing.
  case silent(String)

  /// The message of one line.
  public var description: String {
    switch self {
    case .badName(let name): "\"\(name)\" is no name for a peer, expected 1 to 64 bytes without control characters"
    case .badAddress(let address): "\"\(address)\" is no IPv4 broadcast address, expected one like 192.168.1.255"
    case .noFreePort(let ports): "no free port from \(ports.lowerBound) to \(ports.upperBound)"
    case .silent(let peer): "\(peer) says nothing"
    case .messageTooLong(let limit): "a message is longer than \(limit) bytes"
    }
  }
}

/// The two datagrams of discovery: a broadcast question, and an answer with a peer's name and port.
package enum Beacon {
  /// Question of a browsing peer.
  static let question = "fuse-nearby 1 who"

  /// Answer of an advertising peer.
  static func answer(name: String, port: Int) -> String { "fuse-nearby 1 here \(port) \(name)" }

  /// The peer of an answer; nil for any other text.
  package static func peer(from answer: String, host: String) -> DiscoveredPeer? {
    let parts = answer.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "fuse-nearby", parts[1] == "1", parts[2] == "here",
      let port = Int(parts[3]), (1...65535).contains(port), isName(String(parts[4]))
    else { return nil }
    return DiscoveredPeer(name: String(parts[4]), host: host, port: port)
  }

  /// Whether this is a valid name of a peer.
  package static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}

/// Handles datagrams: answers questions, or forwards answers.
private final class BeaconHandler: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>
  typealias OutboundOut = AddressedEnvelope<ByteBuffer>

  private let answer: String?
  private let found: @Sendable (DiscoveredPeer) -> Void

  /// Advertises with an `answer`; `found` is called for the answers of others.
  init(answer: String?, found: @escaping @Sendable (DiscoveredPeer) -> Void = { _ in }) {
    self.answer = answer
    self.found = found
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    let text = String(buffer: envelope.data)
    if let answer, text == Beacon.question {
      let reply = AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: ByteBuffer(string: answer))
      context.writeAndFlush(wrapOutboundOut(reply), promise: nil)
    } else if let host = envelope.remoteAddress.ipAddress, let peer = Beacon.peer(from: text, host: host) {
      found(peer)
    }
  }

  /// Ignored: a port without a listener causes an error that does not affect the next question.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
