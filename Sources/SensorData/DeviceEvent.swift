/// An event of the device or of a peer, as reported by the recording: an open list of names.
public struct DeviceEvent: Equatable, Sendable {
  /// When it happened.
  public var timestamp: Timestamp
  /// Its name: `suspend`, `resume`, `peerEnded`, `stationary`, `moving`, ...
  public var name: String
  /// The peer concerned; nil for the device itself.
  public var peer: String?

  /// An event from its parts.
  public init(timestamp: Timestamp, name: String, peer: String? = nil) {
    self.timestamp = timestamp
    self.name = name
    self.peer = peer
  }
}
