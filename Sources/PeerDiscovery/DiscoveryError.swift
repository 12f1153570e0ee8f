/// Why peers do not meet.
public enum DiscoveryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A name is 1 to 64 bytes without control characters.
  case badName(String)
  /// Every port for beacons is taken: that many peers are here already.
  case noFreePort(ClosedRange<Int>)
  /// A message is at most this long, bytes.
  case messageTooLong(Int)

  /// One line.
  public var description: String {
    switch self {
    case .badName(let name): "\"\(name)\" is no name for a peer, expected 1 to 64 bytes without control characters"
    case .noFreePort(let ports): "no free port from \(ports.lowerBound) to \(ports.upperBound)"
    case .messageTooLong(let limit): "a message is longer than \(limit) bytes"
    }
  }
}
