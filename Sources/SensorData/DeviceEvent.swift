/// Something that happened to the device or to a peer, as the recording tells it: an open list of names.
public struct DeviceEvent: Equatable, Sendable {
  /// When it happened.
  public var timestamp: Timestamp
  /// Its name: `suspend`, `resume`, `peerEnded`, `stationary`, `moving`, ...
  public var name: String
  /// Whom it concerns; nil for the device itself.
  public var peer: String?

  /// An event from its parts.
  public init(timestamp: Timestamp, name: String, peer: String? = nil) {
    self.timestamp = timestamp
    self.name = name
    self.peer = peer
  }
}
