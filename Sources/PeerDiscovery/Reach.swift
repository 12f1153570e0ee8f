import NIOCore

extension PeerNetwork {
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
