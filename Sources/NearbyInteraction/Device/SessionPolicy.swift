/// What the system grants to sessions. Apple publishes none of these figures; the defaults are ours.
public struct SessionPolicy: Equatable, Sendable {
  /// How many sessions may be active (running or suspended) at once on one device.
  public var activeSessions = 2
  /// How many of them with extended distance.
  public var extendedDistanceSessions = 1
  /// Nothing heard of the peer for this long: removed, seconds.
  public var peerTimeout = 10.0
  /// The accessory has not begun to range this long after its configuration was generated: removed, seconds.
  public var accessoryTimeout = 5.0
  /// A peer learns this much later that we ended, seconds.
  public var peerEndedDelay = 0.5
  /// Running for longer than this is too much, seconds; nil: no limit.
  public var activeTime: Double?
  /// Suspended for longer than this is too much, seconds: the session fails.
  public var suspendedTime = 300.0
  /// Whether the user allows access to nearby devices.
  public var isAllowedByUser = true

  /// The defaults.
  public init() {}
}
