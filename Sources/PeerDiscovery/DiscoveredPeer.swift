/// A peer that answered while we browsed.
public struct DiscoveredPeer: Hashable, Sendable {
  /// What it calls itself.
  public let name: String
  /// Where it answered from.
  let host: String
  /// Where it takes invitations.
  let port: Int
}
