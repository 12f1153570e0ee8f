/// A peer that answered while browsing.
public struct DiscoveredPeer: Hashable, Sendable {
  /// Name of the peer.
  public let name: String
  /// Address of its answer.
  let host: String
  /// TCP port for invitations.
  let port: Int
}
