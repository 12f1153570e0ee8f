import NIOCore

extension PeerNetwork {
  /// How far beacons reach.
  public enum Reach: Equatable, Sendable {
    /// Processes on this machine.
    case thisMachine
    /// Machines on one network, by its IPv4 broadcast address: "192.168.1.255" for instance.
    case network(broadcast: String)

    /// Where sockets listen: broadcasts come only to those that listen everywhere.
    var host: String {
      switch self {
      case .thisMachine: "127.0.0.1"
      case .network: "0.0.0.0"
      }
    }

    /// Where a question at a port goes.
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
