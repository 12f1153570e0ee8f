import Foundation
import PeerDiscovery
import Testing

/// Peers on loopback, in one process.
@Suite(.serialized) struct PeerNetworkTests {
  static let ports = 47911...47914

  /// Peers of these names, which leave whatever the body does: the ports are the next test's.
  private static func withPeers(
    _ names: [String], reach: PeerNetwork.Reach = .thisMachine, _ body: ([PeerNetwork]) async throws -> Void
  ) async throws {
    var peers: [PeerNetwork] = []
    do {
      for name in names { peers.append(try await PeerNetwork.join(as: name, reach: reach, ports: ports)) }
      try await body(peers)
    } catch {
      for peer in peers { await peer.leave() }
      throw error
    }
    for peer in peers { await peer.leave() }
  }

  @Test func peersFindEachOtherAndExchangeMessages() async throws {
    try await Self.withPeers(["anna", "ben"]) { peers in
      let (anna, ben) = (peers[0], peers[1])
      let foundByBen = try await ben.browse()
      #expect(foundByBen.map(\.name) == ["anna"])
      let found = try #require(try await anna.browse().first)
      let outgoing = try await anna.invite(found)
      var invitations = ben.invitations.makeAsyncIterator()
      let incoming = try #require(await invitations.next())
      #expect(outgoing.peer == "ben" && incoming.peer == "anna")
      let messages = [Data("token".utf8), Data(), Data(repeating: 7, count: 65536)]
      for message in messages { try await outgoing.send(message) }
      try await incoming.send(Data("answer".utf8))
      var received: [Data] = []
      for await message in incoming.messages {
        received.append(message)
        if received.count == messages.count { break }
      }
      #expect(received == messages)
      var answers = outgoing.messages.makeAsyncIterator()
      #expect(await answers.next() == Data("answer".utf8))
      await #expect(throws: DiscoveryError.messageTooLong(65536)) { try await outgoing.send(Data(count: 65537)) }
      await incoming.close()
      #expect(await answers.next() == nil, "the end of a connection ends its messages")
      await anna.leave()
      await ben.leave()
      #expect(await invitations.next() == nil)
    }
  }

  /// On a network a question is a broadcast; loopback has a broadcast address, too.
  @Test func browsesANetworkByBroadcast() async throws {
    let reach = PeerNetwork.Reach.network(broadcast: "127.255.255.255")
    try await Self.withPeers(["anna", "ben"], reach: reach) { peers in
      let (anna, ben) = (peers[0], peers[1])
      let found = try #require(try await anna.browse().first)
      #expect(found.name == "ben")
      let outgoing = try await anna.invite(found)
      var invitations = ben.invitations.makeAsyncIterator()
      #expect(await invitations.next()?.peer == "anna")
      await outgoing.close()
      for address in ["", "somewhere", "::1"] {
        await #expect(throws: DiscoveryError.badAddress(address)) {
          try await PeerNetwork.join(as: "anna", reach: .network(broadcast: address), ports: Self.ports)
        }
      }
    }
  }

  @Test func peerThatLeftIsNotFound() async throws {
    try await Self.withPeers(["anna", "ben"]) { peers in
      let (anna, ben) = (peers[0], peers[1])
      await ben.leave()
      let found = try await anna.browse()
      #expect(found.isEmpty)
    }
  }

  /// Raw clients of a peer's port, as anybody on the network may be.
  private static func strangers(_ port: Int, _ count: Int, sending bytes: [UInt8] = []) throws -> [FileHandle] {
    try (0..<count).map { _ in
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(status == 0)
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      if !bytes.isEmpty {
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) }
      }
      return handle
    }
  }

  @Test(.timeLimit(.minutes(1))) func aSilentPeerIsNotWaitedForLongerThanAsked() async throws {
    try await Self.withPeers(["anna", "ben"]) { peers in
      let anna = peers[0]
      let outgoing = try #require(try await anna.connect(to: "ben", within: 2))
      await #expect(throws: DiscoveryError.silent("ben")) { try await outgoing.message(within: 0.3) }
    }
  }

  /// Frames that nobody reads end the connection; memory holds 64 of them at most.
  @Test(.timeLimit(.minutes(1))) func aFloodEndsItsConnection() async throws {
    try await Self.withPeers(["anna", "ben"]) { peers in
      let (anna, ben) = (peers[0], peers[1])
      let outgoing = try #require(try await anna.connect(to: "ben", within: 2))
      var invitations = ben.invitations.makeAsyncIterator()
      let incoming = try #require(await invitations.next())
      await #expect(throws: (any Error).self) {
        for _ in 0..<10_000 { try await outgoing.send(Data(repeating: 1, count: 60_000)) }
      }
      var count = 0
      for await _ in incoming.messages { count += 1 }
      #expect(count == 64)
    }
  }

  @Test(.timeLimit(.minutes(1))) func connectionsWithoutAGreetingEnd() async throws {
    try await Self.withPeers(["anna", "ben"]) { peers in
      let anna = peers[0]
      let found = try #require(try await anna.browse().first)
      let silent = try Self.strangers(found.port, 20)
      let greeting: [UInt8] = [0, 0, 0, 3] + Array("ann".utf8)
      let flood = try Self.strangers(found.port, 40, sending: greeting)
      let outgoing = try #require(try await anna.connect(to: "ben", within: 2))
      // They are closed: reading ends.
      for handle in silent { #expect(try handle.readToEnd() == nil) }
      await outgoing.close()
      withExtendedLifetime(flood) {}
    }
  }

  /// Another process answers to the name, with a port where nobody listens, and with one that says nothing.
  @Test(.timeLimit(.minutes(1))) func aForgedAnswerCostsOnlyItself() async throws {
    try await Self.withPeers(["anna", "forger", "ben"]) { peers in
      let anna = peers[0]
      let real = try #require(try await anna.browse().first { $0.name == "ben" })
      let liar = try #require(try await anna.browse().first { $0.name == "forger" })
      // Nobody listens on port 1; the forger greets with its own name.
      await #expect(throws: (any Error).self) {
        _ = try await anna.invite(DiscoveredPeer(name: "ben", host: "127.0.0.1", port: 1))
      }
      await #expect(throws: DiscoveryError.silent("ben")) {
        _ = try await anna.invite(DiscoveredPeer(name: "ben", host: "127.0.0.1", port: liar.port))
      }
      let outgoing = try #require(try await anna.connect(to: "ben", within: 5))
      #expect(outgoing.peer == "ben" && real.name == "ben")
    }
  }

  @Test func portsLimitTheNumberOfPeers() async throws {
    try await Self.withPeers(["a", "b", "c", "d"]) { peers in
      await #expect(throws: DiscoveryError.noFreePort(Self.ports)) {
        try await PeerNetwork.join(as: "e", ports: Self.ports)
      }
      let found = try await peers[1].browse()
      #expect(found.map(\.name) == ["a", "c", "d"])
    }
  }

  @Test(arguments: ["", "a\nb", String(repeating: "x", count: 65)]) func rejectsInvalidNames(name: String) async {
    await #expect(throws: DiscoveryError.badName(name)) { try await PeerNetwork.join(as: name, ports: Self.ports) }
  }
}
