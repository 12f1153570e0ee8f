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
