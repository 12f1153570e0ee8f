/// Limits and time-outs of sessions. Apple publishes none of these figures; the defaults are this project's.
public struct SessionPolicy: Equatable, Sendable {
  /// Largest number of active sessions (running or suspended) on one device.
  public var activeSessions = 2
  /// Largest number of them with extended distance.
  public var extendedDistanceSessions = 1
  /// A peer without ranges for longer than this is removed, seconds.
  public var peerTimeout = 10.0
  /// An accessory that is not started this long after its configuration was generated is removed, seconds.
  public var accessoryTimeout = 5.0
  /// Delay until a peer is notified that the session ended, seconds.
  public var peerEndedDelay = 0.5
  /// Longest time of running, seconds; nil for no limit.
  public var activeTime: Double?
  /// Longest time of suspension, seconds; then the session fails.
  public var suspendedTime = 300.0
  /// Whether the user allows access to nearby devices.
  public var isAllowedByUser = true

  /// The defaults.
  public init() {}
}
