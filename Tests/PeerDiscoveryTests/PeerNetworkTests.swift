import Foundation
import PeerDiscovery
import Testing

/// Peers on loopback, in one process.
@Suite(.serialized) struct PeerNetworkTests {
  static let ports = 47911...47914

  @Test func peersFindEachOtherAndExchangeMessages() async throws {
    let anna = try await PeerNetwork.join(as: "anna", ports: Self.ports)
    let ben = try await PeerNetwork.join(as: "ben", ports: Self.ports)
    #expect(try await ben.browse().map(\.name) == ["anna"])
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

  /// On a network a question is a broadcast; loopback has a broadcast address, too.
  @Test func browsesANetworkByBroadcast() async throws {
    let reach = PeerNetwork.Reach.network(broadcast: "127.255.255.255")
    let anna = try await PeerNetwork.join(as: "anna", reach: reach, ports: Self.ports)
    let ben = try await PeerNetwork.join(as: "ben", reach: reach, ports: Self.ports)
    let found = try #require(try await anna.browse().first)
    #expect(found.name == "ben")
    let outgoing = try await anna.invite(found)
    var invitations = ben.invitations.makeAsyncIterator()
    #expect(await invitations.next()?.peer == "anna")
    await outgoing.close()
    await anna.leave()
    await ben.leave()
    for address in ["", "somewhere", "::1"] {
      await #expect(throws: DiscoveryError.badAddress(address)) {
        try await PeerNetwork.join(as: "anna", reach: .network(broadcast: address), ports: Self.ports)
      }
    }
  }

  @Test func peerThatLeftIsNotFound() async throws {
    let anna = try await PeerNetwork.join(as: "anna", ports: Self.ports)
    let ben = try await PeerNetwork.join(as: "ben", ports: Self.ports)
    await ben.leave()
    #expect(try await anna.browse().isEmpty)
    await anna.leave()
  }

  @Test func portsLimitTheNumberOfPeers() async throws {
    var networks: [PeerNetwork] = []
    for name in ["a", "b", "c", "d"] { networks.append(try await PeerNetwork.join(as: name, ports: Self.ports)) }
    await #expect(throws: DiscoveryError.noFreePort(Self.ports)) {
      try await PeerNetwork.join(as: "e", ports: Self.ports)
    }
    #expect(try await networks[1].browse().map(\.name) == ["a", "c", "d"])
    for network in networks { await network.leave() }
  }

  @Test(arguments: ["", "a\nb", String(repeating: "x", count: 65)]) func rejectsInvalidNames(name: String) async {
    await #expect(throws: DiscoveryError.badName(name)) { try await PeerNetwork.join(as: name, ports: Self.ports) }
  }
}
