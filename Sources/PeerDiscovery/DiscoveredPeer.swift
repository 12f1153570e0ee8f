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
