/// Why peers do not meet.
public enum DiscoveryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A name is 1 to 64 bytes without control characters.
  case badName(String)
  /// No IPv4 broadcast address.
  case badAddress(String)
  /// Every port for beacons is taken: that many peers are here already.
  case noFreePort(ClosedRange<Int>)
  /// A message is at most this long, bytes.
  case messageTooLong(Int)

  /// One line.
  public var description: String {
    switch self {
    case .badName(let name): "\"\(name)\" is no name for a peer, expected 1 to 64 bytes without control characters"
    case .badAddress(let address): "\"\(address)\" is no IPv4 broadcast address, expected one like 192.168.1.255"
    case .noFreePort(let ports): "no free port from \(ports.lowerBound) to \(ports.upperBound)"
    case .messageTooLong(let limit): "a message is longer than \(limit) bytes"
    }
  }
}
